import { mapPlainData, walkPlainData } from '../../../kernel/plain-data.ts';

export type IsErased = (platformId: string) => boolean;

/** How the platform writes a person into a text. */
const mention = /<@!?(\d{1,20})>/g;
/** The platform's ids contain the time, so all of them are this long. */
const bareId = /(?<!\d)\d{15,20}(?!\d)/g;

/** A name with its id, as bots write it into logs, Holdfast's own line on a verification included. */
const nameWithId = /(?:(?<=^Verified: ).*|[^\s(]+) \((\d{15,20})\)/gm;

/** Every platform id in a text: mentions and written ids. */
export const idsInText = (text: string | null): string[] =>
  text === null
    ? []
    : [...text.matchAll(mention)].flatMap(([, id]) => id ?? []).concat(text.match(bareId) ?? []);

/** The text without the ids of erased people, and without names before their ids. */
export function redactText(text: string, isErased: IsErased): string;
export function redactText(text: string | null, isErased: IsErased): string | null;
export function redactText(text: string | null, isErased: IsErased): string | null {
  if (text === null) return null;
  return text
    .replace(nameWithId, (whole, id: string) => (isErased(id) ? 'somebody (000)' : whole))
    .replace(mention, (whole, id: string) => (isErased(id) ? '@someone' : whole))
    .replace(bareId, (id) => (isErased(id) ? '000' : id));
}

/** Fields whose values are no texts that people write. */
const isTextField = (name: string): boolean =>
  !/^(id|.*(Id|Ids|Hash|At|hash|contentType))$/.test(name);

/** Every text in a value of plain data. */
export const textsIn = (root: unknown): string[] => {
  const texts: string[] = [];
  walkPlainData(root, (value, name) => {
    if (!isTextField(name)) return false;
    if (typeof value === 'string') texts.push(value);
    return true;
  });
  return texts;
};

/** The same plain data, with each of its texts redacted. */
export const redactTextsIn = <Value>(value: Value, isErased: IsErased): Value =>
  // Texts become texts, and everything else stays what it is.
  mapPlainData(value, (part, name) => {
    if (!isTextField(name)) return { to: part };
    return typeof part === 'string' ? { to: redactText(part, isErased) } : undefined;
  }) as Value;
