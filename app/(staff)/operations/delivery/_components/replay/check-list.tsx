import clsx from "clsx";
import { useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import type { Check } from "@/server/domain/replay/checks";
import { checkNames, checkResults, checkWhy } from "./replay-words";
import { useCheckValues } from "./use-check-values";

const order = Object.keys(checkNames) as Check["name"][];

/** The five checks as the server gave them, all of them, each with both compared values. Null: the answer is on its way. */
export function CheckList({ checks }: { checks: readonly Check[] | null }) {
  return (
    <ul className="chk chk5">
      {order.map((name) => {
        const check = checks?.find((one) => one.name === name);
        return check ? <Line key={name} check={check} /> : <Checking key={name} name={name} />;
      })}
    </ul>
  );
}

function Line({ check }: { check: Check }) {
  const t = useTranslations();
  const { glyph, word, mark } = checkResults[check.result];
  const { requested, recorded } = useCheckValues()(check);
  return (
    <li className={mark} data-check={check.name}>
      <Icon name={glyph} />
      <span className="t">
        {t(checkNames[check.name])}
        <em>{t(word)}</em>
      </span>
      <dl className="d">
        <dt>{t("replay.request")}</dt>
        <dd title={requested}>{requested}</dd>
        {recorded !== "" && (
          <>
            <dt>{t("replay.record")}</dt>
            <dd title={recorded}>{recorded}</dd>
          </>
        )}
      </dl>
      {check.why && <p className="d">{t(checkWhy[check.why])}</p>}
    </li>
  );
}

function Checking({ name }: { name: Check["name"] }) {
  const t = useTranslations();
  return (
    <li className="n">
      <Icon name="await" />
      <span className="t">
        {t(checkNames[name])}
        <em>{t("replay.result.checking")}</em>
      </span>
    </li>
  );
}

/** "5 of 5 pass", or how many do not: in the words of the worst. */
export function CheckSummary({ checks }: { checks: readonly Check[] }) {
  const t = useTranslations();
  const failed = checks.filter(({ result }) => result === "FAIL").length;
  const unknown = checks.filter(({ result }) => result === "UNKNOWN").length;
  const [mark, glyph, words] =
    failed > 0
      ? (["hold", "fail", t("replay.someFail", { count: failed })] as const)
      : unknown > 0
        ? (["wait", "warn", t("replay.someUnknown", { count: unknown })] as const)
        : (["done", "pass", t("replay.allPass")] as const);
  return (
    <span className={clsx("st", `s-${mark}`)} role="status">
      <Icon name={glyph} />
      {words}
    </span>
  );
}
