import { useLocale, useTranslations } from "next-intl";
import { KeyIdentity, KeyValue, KeyValueList } from "@/app/_components/key-value";
import { Ref } from "@/app/_components/ref";
import { formatTime, Time } from "@/app/_components/time";
import type { Preview } from "../../_components/replay/use-replay";

type Request = NonNullable<Preview["request"]>;

/** What is frozen: exact records, versions and the log's end, with the digest that an approval is bound to. */
export function ManifestPart({ request, heldElsewhere, zone }: { request: Request; heldElsewhere: number; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const number = (value: string | number) => t("number", { value: Number(value) });
  const others = Number(request.offsetsSpanned) - request.records;
  return (
    <>
      <p className="dim text-meta num">
        {t("replay.range.frozenAt", { at: formatTime(request.previewedAt, zone, "seconds", locale) })} ·{" "}
        {t("replay.range.until", { at: formatTime(request.previewExpiresAt, zone, "seconds", locale) })}
      </p>
      <KeyValueList>
        <KeyValue term={t("replay.manifest")}>
          <Ref>{request.ref}</Ref>
        </KeyValue>
        <KeyValue term={t("replay.range.records")} wrap>
          <span className="num">
            {t("replay.range.recordsOf", { records: number(request.records), matching: number(request.matching) })}
          </span>
          {heldElsewhere > 0 && <span className="dim">· {t("replay.range.held", { count: number(heldElsewhere) })}</span>}
        </KeyValue>
        <KeyIdentity term={t("replay.range.digest")} value={request.manifestDigest} />
        <KeyIdentity term="requestId" value={request.requestId} head={13} />
        <KeyValue term={t("replay.range.span")} wrap>
          <span className="num">{t("replay.range.spanOf", { count: number(request.offsetsSpanned) })}</span>
          <span className="dim">· {t("replay.range.spanLimit")}</span>
        </KeyValue>
        <KeyValue term={t("replay.range.oldest")}>
          <Time at={request.oldestAt} zone={zone} as="daySeconds" locale={locale} />
        </KeyValue>
        <KeyValue term={t("replay.range.log")} wrap>
          {request.topic} <span className="dim">· {request.logId}</span>
        </KeyValue>
      </KeyValueList>
      <table className="pt">
        <caption className="sr">{t("replay.range.firstToLast")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("replay.partition")}</th>
            <th scope="col" className="o">
              {t("replay.range.firstToLast")}
            </th>
            <th scope="col">{t("replay.range.logEnd")}</th>
            <th scope="col">{t("replay.range.records")}</th>
          </tr>
        </thead>
        <tbody>
          {request.ranges.map(({ partition, first, last, logEnd, records }) => (
            <tr key={partition}>
              <th scope="row">{partition}</th>
              <td className="o num">{first === last ? number(first) : `${number(first)}–${number(last)}`}</td>
              <td className="num dim">{logEnd === null ? "–" : number(logEnd)}</td>
              <td className="num">{number(records)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t("replay.range.partitions", { count: request.ranges.length })}</th>
            <td className="o dim" colSpan={2}>
              {t("replay.range.others", { count: number(others) })}
            </td>
            <td className="num">{number(request.records)}</td>
          </tr>
        </tfoot>
      </table>
      <KeyValueList>
        <KeyValue term={t("replay.range.versions")} wrap>
          <span className="num">{t("replay.range.versionsOf", { count: number(request.records) })}</span>
          <span className="dim">· {t("replay.range.changedSkipped")}</span>
        </KeyValue>
        {request.waitingBehind > 0 && (
          <KeyValue term={t("replay.range.behind")} wrap>
            {t("replay.range.behindOf", { count: request.waitingBehind })}
            <span className="dim">· {t("replay.range.behindDue")}</span>
          </KeyValue>
        )}
      </KeyValueList>
    </>
  );
}
