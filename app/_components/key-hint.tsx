export function KeyHint({ keys }: { keys: string }) {
  return (
    <>
      {keys.split(" ").map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </>
  );
}
