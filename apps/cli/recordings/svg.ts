import stringWidth from 'string-width';
import type { Frame } from './terminal.ts';

/**
 * A recording as one picture that moves by CSS alone: it plays wherever a picture is shown, also in a README.
 * Every line that was ever shown stands in it once; whoever wants no motion sees the last screen.
 */

const cell = { width: 8.4, height: 19 };
const padding = 16;
/** Nobody wants to wait as long as the machine did; at the end there is time to read. */
const longestFrameMs = 900;
const shortestFrameMs = 60;
const lastFrameMs = 4000;

const colours: Record<string, string> = {
  '31': '#ff7b72',
  '32': '#7ee2a8',
  '33': '#e3c46b',
  '36': '#74d3d6',
};

type Size = { columns: number; rows: number };
type Words = { title: string; description: string };

export const drawRecording = (frames: Frame[], size: Size, words: Words): string => {
  const [width, height] = [
    size.columns * cell.width + 2 * padding,
    size.rows * cell.height + 2 * padding,
  ];
  const texts = [...new Set(frames.flatMap(({ lines }) => lines))].filter((line) => line !== '');
  const numbers = new Map(texts.map((line, index) => [line, index]));
  const screens = frames.map(({ lines }, index) => drawScreen(lines, numbers, index * width));
  const last = (frames.length - 1) * width;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeText(words.title)}</title>
<desc>${escapeText(words.description)}</desc>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#dfe7ea;white-space:pre}
.b{font-weight:700}.d{opacity:.65}
#film{transform:translateX(-${last}px)}
@media(prefers-reduced-motion:no-preference){#film{animation:play ${lengthOf(frames)}ms steps(1,end) infinite}}
@keyframes play{${keyframes(frames, width)}}
</style>
<defs>
${texts.map((line, index) => drawLine(line, index)).join('\n')}
</defs>
<rect width="${width}" height="${height}" rx="10" fill="#10191d"/>
<g id="film">
${screens.join('\n')}
</g>
</svg>
`;
};

const shownMs = (frames: Frame[], index: number): number => {
  const [frame, next] = [frames[index], frames[index + 1]];
  if (!frame || !next) return lastFrameMs;
  return Math.round(Math.min(Math.max(next.atMs - frame.atMs, shortestFrameMs), longestFrameMs));
};

const lengthOf = (frames: Frame[]): number =>
  frames.reduce((sum, _, index) => sum + shownMs(frames, index), 0);

const keyframes = (frames: Frame[], width: number): string => {
  const all = lengthOf(frames);
  let at = 0;
  const steps = frames.map((_, index) => {
    const share = ((at / all) * 100).toFixed(3);
    at += shownMs(frames, index);
    return `${share}%{transform:translateX(-${index * width}px)}`;
  });
  return `${steps.join('')}100%{transform:translateX(-${(frames.length - 1) * width}px)}`;
};

const drawScreen = (lines: string[], numbers: Map<string, number>, left: number): string => {
  const uses = lines.flatMap((line, row) => {
    const number = numbers.get(line);
    if (number === undefined) return [];
    const top = padding + row * cell.height + 14;
    return [`<use href="#l${number}" x="${padding}" y="${top}"/>`];
  });
  return `<g transform="translate(${left})">${uses.join('')}</g>`;
};

/** As wide as its cells, whatever font the reader has. */
const drawLine = (line: string, number: number): string => {
  const width = (stringWidth(line) * cell.width).toFixed(1);
  const pieces = piecesOf(line).map(({ text, codes }) => {
    const names = [codes.has('1') && 'b', codes.has('2') && 'd'].filter(Boolean).join(' ');
    const colour = [...codes].map((code) => colours[code]).find(Boolean);
    const marks = `${names && ` class="${names}"`}${colour ? ` fill="${colour}"` : ''}`;
    return marks === '' ? escapeText(text) : `<tspan${marks}>${escapeText(text)}</tspan>`;
  });
  return `<text id="l${number}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${pieces.join('')}</text>`;
};

type Piece = { text: string; codes: Set<string> };

/** The text between two escape sequences, with what the terminal has been told to do with it. */
const piecesOf = (line: string): Piece[] => {
  let codes = new Set<string>();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
  return line.split(/(\u001b\[[\d;]*m)/).flatMap((part) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
    const sequence = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
    if (sequence === undefined) return part === '' ? [] : [{ text: part, codes }];
    codes = afterSequence(codes, sequence.split(';'));
    return [];
  });
};

const afterSequence = (before: Set<string>, given: string[]): Set<string> => {
  const codes = new Set(before);
  for (const code of given) {
    if (code === '0' || code === '') codes.clear();
    else if (code === '39') for (const colour of Object.keys(colours)) codes.delete(colour);
    else codes.add(code);
  }
  return codes;
};

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
