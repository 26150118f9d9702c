/** Hands a text to the browser as a file to keep. */
export function saveFile({ text, fileName, mediaType }: { text: string; fileName: string; mediaType: string }): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = Object.assign(document.createElement("a"), { href: url, download: fileName });
  link.click();
  URL.revokeObjectURL(url);
}
