import { CommandError } from '../exit-codes.ts';
import type { CommunityDocument } from './document.ts';

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
  /** The line of what the service calls `channels[3].name`. */
  lineOf(place: string): number | undefined;
};

/**
 * Reads a file that may come from anybody: no anchors, which make a few lines to millions, no tags, no key
 * given twice.
 */
export const parseYaml = async (text: string, file: string): Promise<ParsedYaml> => {
  if (Buffer.byteLength(text) > largestBytes) throw refuse(file, 'is larger than 4 MiB');
  try {
    return await parse(text, file);
  } catch (error) {
    if (error instanceof RangeError) throw refuse(file, 'is nested too deeply');
    throw error;
  }
};

const parse = async (text: string, file: string): Promise<ParsedYaml> => {
  const { isAlias, isNode, LineCounter, parseDocument, visit } = await loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(text, {
    ...{ lineCounter: lines, schema: 'core', version: '1.2', uniqueKeys: true, merge: false },
    ...{ prettyErrors: false, logLevel: 'error' },
  });
  const at = (offset: number) => lines.linePos(offset).line;
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw refuse(`${file}:${at(problem.pos[0])}`, problem.message);
  visit(document, (_, node) => {
    if (!isNode(node)) return;
    const line = `${file}:${at(node.range?.[0] ?? 0)}`;
    if (isAlias(node) || node.anchor) throw refuse(line, 'Anchors and aliases are not taken');
    if (node.tag) throw refuse(line, `Tags such as ${node.tag} are not taken`);
  });
  return {
    value: document.toJS(),
    lineOf(place) {
      const path = [...place.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) =>
        index === undefined ? name : Number(index),
      );
      // What is missing is missing in what is around it.
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return at(node.range[0]);
      }
      return undefined;
    },
  };
};

const refuse = (where: string, problem: string): CommandError =>
  new CommandError('usage', `${where} ${problem}`);
