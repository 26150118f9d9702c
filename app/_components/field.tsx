import clsx from "clsx";
import { type ComponentProps, type ReactNode, useId } from "react";
import { type Glyph, Icon } from "@/app/_components/icon";

type FieldFrame = { label: string; hint?: ReactNode; error?: string | null };

/** Label, control, hint and error as one: the error is in the description and the control says it is invalid. */
export function Field({
  label,
  hint,
  error,
  glyph,
  locked,
  unit,
  className,
  ...input
}: FieldFrame & { glyph?: Glyph; locked?: boolean; unit?: string } & ComponentProps<"input">) {
  const id = useId();
  const errorId = `${id}-error`;
  return (
    <div className={clsx("fl", className)}>
      <label htmlFor={id}>
        {label}
        {hint && <span className="hint ml-auto">{hint}</span>}
      </label>
      <div className={clsx("in", locked && "lockd", error && "bad")}>
        {glyph && <Icon name={glyph} />}
        <input
          {...input}
          id={id}
          readOnly={locked || input.readOnly}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? errorId : undefined}
        />
        {unit && <span className="unit">{unit}</span>}
      </div>
      {error && <FieldError id={errorId}>{error}</FieldError>}
    </div>
  );
}

export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p className="err" id={id}>
      <Icon name="fail" />
      <span>{children}</span>
    </p>
  );
}

/** The browser's own select in our frame: keyboard, phone wheel and screen readers work without a line of ours. */
export function SelectField({
  label,
  hint,
  error,
  locked,
  children,
  ...select
}: FieldFrame & { locked?: boolean } & ComponentProps<"select">) {
  const id = useId();
  const errorId = `${id}-error`;
  return (
    <div className="fl">
      <label htmlFor={id}>
        {label}
        {hint && <span className="hint ml-auto">{hint}</span>}
      </label>
      <div className={clsx("in sel1", locked && "lockd", error && "bad")}>
        <select
          {...select}
          id={id}
          disabled={locked}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? errorId : undefined}
        >
          {children}
        </select>
        <Icon name="down" />
      </div>
      {error && <FieldError id={errorId}>{error}</FieldError>}
    </div>
  );
}

type Choice = { value: string; label: ReactNode; off?: boolean; name?: string };

/** One of a few, all in sight; real radios, so arrows move and Space chooses. */
export function SegmentedControl({
  label,
  name,
  value,
  choices,
  onChange,
  locked,
  hint,
  error,
}: FieldFrame & { name: string; value: string; choices: Choice[]; onChange(value: string): void; locked?: boolean }) {
  const id = useId();
  return (
    <div className="fl" role="radiogroup" aria-labelledby={id} aria-describedby={hint ? `${id}-hint` : undefined}>
      <span className="lb" id={id}>
        {label}
      </span>
      <div className="seg" style={{ gridTemplateColumns: `repeat(${choices.length}, minmax(0, 1fr))` }}>
        {choices.map((choice) => (
          <label key={choice.value}>
            <input
              type="radio"
              className="sr"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              disabled={choice.off || locked}
              aria-label={choice.name}
              onChange={() => onChange(choice.value)}
            />
            <span className="trunc">{choice.label}</span>
          </label>
        ))}
      </div>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error && <FieldError>{error}</FieldError>}
    </div>
  );
}
