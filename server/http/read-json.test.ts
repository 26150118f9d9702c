import { describe, expect, it } from "vitest";
import { bodyBytesMax, readJson, readJsonText } from "./read-json";

const send = (body: BodyInit, headers: Record<string, string> = { "content-type": "application/json" }) =>
  new Request("http://clinic.invalid/", { method: "POST", headers, body, duplex: "half" } as RequestInit);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "read",
    (error) => error.code ?? error.name,
  );

describe("a JSON body", () => {
  it("is read, with a charset or without", async () => {
    expect(await readJson(send('{"a":"é"}'))).toEqual({ a: "é" });
    expect(await readJson(send("{}", { "content-type": "application/json; charset=UTF-8" }))).toEqual({});
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=latin1", ""])(
    "of type %j is 415",
    async (type) => {
      expect(await codeOf(readJson(send("{}", { "content-type": type })))).toBe("media-type-unsupported");
    },
  );

  it("that is compressed is 415: its real size is not known", async () => {
    expect(await codeOf(readJson(send("{}", { "content-type": "application/json", "content-encoding": "gzip" })))).toBe(
      "media-type-unsupported",
    );
  });

  it("of 64 KiB is read and of one byte more is refused, announced or streamed", async () => {
    const text = (bytes: number) => `"${"x".repeat(bytes - 2)}"`;
    expect(await readJson(send(text(bodyBytesMax)))).toHaveLength(bodyBytesMax - 2);
    expect(await codeOf(readJson(send(text(bodyBytesMax + 1))))).toBe("body-too-large");
    const stream = new Blob([text(bodyBytesMax + 1)]).stream();
    expect(await codeOf(readJson(send(stream)))).toBe("body-too-large");
  });

  it("that trickles in is refused after its deadline", async () => {
    const never = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) });
    expect(await codeOf(readJsonText(send(never), 20))).toBe("request-timeout");
  });

  it.each([
    ["no JSON", "{"],
    ["a field given twice", '{"a":1,"a":2}'],
    ["an integer beyond 2^53", '{"a":9007199254740993}'],
    ["half a surrogate pair", '{"a":"\\ud800"}'],
  ])("with %s is refused", async (_, text) => {
    expect(await codeOf(readJson(send(text)))).toBe("StrictJsonError");
  });

  it("with a NUL character is refused, with the six characters that look like one it is not", async () => {
    expect(await codeOf(readJson(send('{"a":"\\u0000"}')))).toBe("json-invalid");
    expect(await readJson(send('{"a":"\\\\u0000"}'))).toEqual({ a: "\\u0000" });
  });

  it("that is not UTF-8 is refused", async () => {
    expect(await codeOf(readJson(send(new Uint8Array([0x22, 0xff, 0x22]))))).toBe("json-invalid");
  });
});
