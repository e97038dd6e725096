/** A piece of a message: text, a line break, or text with a style, as the platform shows it. */
export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'code'; text: string }
  | { kind: 'link'; text: string; url: string }
  | { kind: 'bold' | 'italic' | 'underline' | 'strike'; pieces: Piece[] };

type Style = Extract<Piece, { pieces: Piece[] }>['kind'];

/** Longer marks first, so that `**` is not taken for two `*`. */
const styles: [mark: string, kind: Style][] = [
  ['**', 'bold'],
  ['__', 'underline'],
  ['~~', 'strike'],
  ['*', 'italic'],
  ['_', 'italic'],
];

const link = /^\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/;
const code = /^`([^`\n]+)`/;
const escaped = /^\\([*_~`\\[\]()])/;

/** The marks that the platform understands within a line; everything else stays text. */
export const parseMessageText = (source: string): Piece[] => {
  const pieces: Piece[] = [];
  let rest = source;
  while (rest !== '') {
    const [piece, length] = nextPiece(rest);
    const last = pieces.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text') last.text += piece.text;
    else pieces.push(piece);
    rest = rest.slice(length);
  }
  return pieces;
};

const nextPiece = (rest: string): [Piece, length: number] => {
  if (rest.startsWith('\n')) return [{ kind: 'break' }, 1];
  const mark = escaped.exec(rest);
  if (mark) return [{ kind: 'text', text: mark[1] ?? '' }, mark[0].length];
  const quoted = code.exec(rest);
  if (quoted) return [{ kind: 'code', text: quoted[1] ?? '' }, quoted[0].length];
  const linked = link.exec(rest);
  if (linked) {
    return [{ kind: 'link', text: linked[1] ?? '', url: linked[2] ?? '' }, linked[0].length];
  }
  return (
    styledPiece(rest) ?? [{ kind: 'text', text: firstCharacter(rest) }, firstCharacter(rest).length]
  );
};

const firstCharacter = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0);

const styledPiece = (rest: string): [Piece, number] | undefined => {
  for (const [mark, kind] of styles) {
    if (!rest.startsWith(mark)) continue;
    let end = rest.indexOf(mark, mark.length + 1);
    // Of `**a *b***` the last two marks end the bold text.
    while (end !== -1 && rest[end + mark.length] === mark[0]) end += 1;
    const inner = rest.slice(mark.length, end);
    if (end === -1 || inner.trim() === '' || /^\s/.test(inner)) continue;
    return [{ kind, pieces: parseMessageText(inner) }, end + mark.length];
  }
  return undefined;
};
