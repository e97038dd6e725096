import { CommandError } from '../exit-codes.ts';
import type { CommunityDocument } from './document.ts';
import type { Mistake } from './validate.ts';

/** Longer ones are nobody's community. */
const largestBytes = 4 * 1024 * 1024;

/** Other commands start without it. */
const loadYaml = () => import('yaml');

/** The document as people read and edit it. */
export const toYaml = async (document: CommunityDocument, comments: string[]): Promise<string> => {
  const { stringify } = await loadYaml();
  const head = comments.map((line) => `# ${line}`.trimEnd()).join('\n');
  return `${head}\n\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;
};

export type ParsedYaml = {
  value: unknown;
  /** Where something is, as `line:column`; what is missing is missing in what is around it. */
  placeOf(mistake: Pick<Mistake, 'path' | 'isOfKey'>): string;
};

/** As other editors save it too: with a mark at its beginning, but in no other encoding. */
export const decodeText = (bytes: Uint8Array, file: string): string => {
  if (bytes.length > largestBytes) throw refuse(file, 'is larger than 4 MiB');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const [before = ''] = new TextDecoder().decode(bytes).split('\ufffd');
    const line = before.split('\n').length;
    throw refuse(`${file}:${line}:`, 'This is not UTF-8: save the file in that encoding');
  }
};

/**
 * Reads a file that may come from anybody: no anchors, which make a few lines to millions, no tags, no key
 * given twice.
 */
export const parseYaml = async (text: string, file: string): Promise<ParsedYaml> => {
  try {
    return await parse(text, file);
  } catch (error) {
    if (error instanceof RangeError) throw refuse(file, 'is nested too deeply');
    throw error;
  }
};

const parse = async (text: string, file: string): Promise<ParsedYaml> => {
  const { isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, visit } = await loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(text, {
    ...{ lineCounter: lines, schema: 'core', version: '1.2', uniqueKeys: true, merge: false },
    ...{ prettyErrors: false, logLevel: 'error' },
  });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw refuse(`${file}:${at(problem.pos[0])}:`, problem.message);
  visit(document, (_, node) => {
    if (!isNode(node)) return;
    const place = `${file}:${at(node.range?.[0] ?? 0)}:`;
    if (isAlias(node) || node.anchor) throw refuse(place, 'Anchors and aliases are not taken');
    if (node.tag) throw refuse(place, `Tags such as ${node.tag} are not taken`);
  });
  const nodeAt = (path: Mistake['path']) =>
    path.length === 0 ? document.contents : document.getIn(path, true);
  const keyAt = (path: Mistake['path']) => {
    const around = nodeAt(path.slice(0, -1));
    const pairs = isMap(around) ? around.items : [];
    return pairs.map(({ key }) => key).find((key) => isScalar(key) && key.value === path.at(-1));
  };
  return {
    value: document.toJS(),
    placeOf({ path, isOfKey }) {
      const key = isOfKey ? keyAt(path) : undefined;
      if (isNode(key) && key.range) return at(key.range[0]);
      for (let length = path.length; length > 0; length--) {
        const node = nodeAt(path.slice(0, length));
        if (isNode(node) && node.range) return at(node.range[0]);
      }
      return '1:1';
    },
  };
};

const refuse = (where: string, problem: string): CommandError =>
  new CommandError('usage', `${where} ${problem}`);
