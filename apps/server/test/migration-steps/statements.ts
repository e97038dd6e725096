/** Texts, dollar-quoted bodies and quoted names: what is in them is no syntax. */
const quoted =
  /(?<!\w)[eE]'(?:\\[\s\S]|''|[^'\\])*'|'(?:[^']|'')*'|\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$|"(?:[^"]|"")*"/g;
const quotedOrComment = new RegExp(`${quoted.source}|--[^\\n]*|/\\*[\\s\\S]*?\\*/`, 'g');
const isComment = (text: string): boolean => text.startsWith('--') || text.startsWith('/*');

/** SQL text as its statements: without comments, in lower case, names without quotes, single spaces. */
export const splitStatements = (text: string): string[] =>
  splitOutside(
    text.replace(quotedOrComment, (found) => (isComment(found) ? ' ' : found)),
    ';',
  )
    .map(normalize)
    .filter((statement) => statement !== '');

/** Parts between commas that stand in no brackets and no text. */
export const splitList = (text: string): string[] => splitOutside(text, ',').map(normalize);

const splitOutside = (text: string, separator: string): string[] => {
  const masked = text.replace(quoted, (found) => '_'.repeat(found.length));
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < masked.length; at++) {
    if (masked[at] === '(') depth++;
    if (masked[at] === ')') depth--;
    if (masked[at] !== separator || depth > 0) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  return [...parts, text.slice(from)];
};

const normalize = (text: string): string =>
  text
    .replace(/"((?:[^"]|"")*)"/g, '$1')
    .replace(/\bpublic\./gi, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
