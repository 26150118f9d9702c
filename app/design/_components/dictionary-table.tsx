import { createTranslator } from "next-intl";
import { getTranslations } from "next-intl/server";
import { StateMark } from "@/app/_components/state";
import {
  appointmentStates,
  auditResults,
  deliveryStates,
  notificationStates,
  outboxStates,
  planningStates,
} from "@/app/_components/state-dictionary";
import ko from "@/app/_i18n/ko.json";

const groups = {
  inbox: deliveryStates,
  outbox: outboxStates,
  planning: planningStates,
  notification: notificationStates,
  appointment: appointmentStates,
  audit: auditResults,
};

/** The dictionary as it is: what does not stand here does not exist on a screen. */
export async function DictionaryTable() {
  const t = await getTranslations();
  const korean = createTranslator({ locale: "ko", messages: ko });
  return (
    <table className="w-full table-fixed border-collapse self-start text-[12.5px]" data-part="Dictionary">
      <caption className="sr">{t("design.title")}</caption>
      <thead>
        <tr className="text-left text-meta text-3rd">
          <th scope="col" className="h-8 font-medium">
            {t("design.word")}
          </th>
          <th scope="col" className="w-[18%] font-medium" lang="ko">
            한국어
          </th>
          <th scope="col" className="w-[30%] font-medium">
            {t("design.meaning")}
          </th>
          <th scope="col" className="font-medium">
            {t("design.next")}
          </th>
        </tr>
      </thead>
      {Object.entries(groups).map(([group, states]) => (
        <tbody key={group}>
          <tr className="bg-sunken">
            <th scope="rowgroup" colSpan={4} className="px-2 py-1 text-left font-semibold text-2nd">
              {group}
            </th>
          </tr>
          {Object.entries(states).map(([code, entry]) => (
            <tr key={code} className="border-b border-line">
              <td className="py-1">
                <StateMark glyph={entry.glyph} family={entry.family}>
                  {t(entry.label)}
                </StateMark>
                <span className="ref block pl-[22px] text-3rd">{code}</span>
              </td>
              <td className="py-1" lang="ko">
                {korean(entry.label)}
              </td>
              <td className="py-1">{t(entry.meaning)}</td>
              <td className="py-1 text-2nd">{t(entry.next)}</td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}
