import type { OpenApiDocument } from '@holdfast/contract';
import type { Field } from './fields.ts';
import { type Block, type Chapter, chaptersOf, type LimitsOf, type Table } from './guide.ts';
import { type Operation, type Section, sectionsOf } from './model.ts';

/** The reference as one Markdown file, with the same content as the page. */
export const referenceMarkdown = (document: OpenApiDocument, limitsOf: LimitsOf): string => {
  const chapters = chaptersOf(document, limitsOf);
  const sections = sectionsOf(document);
  return `${[
    `# ${document.info.title} API reference`,
    'Generated from `packages/contract` by `apps/server/src/main/write-api-docs.ts`: change it there. A running service shows the same at `/docs`, and the OpenAPI document at `/openapi.json`.',
    document.info.description ?? '',
    contents(chapters, sections),
    ...chapters.flatMap(({ title, blocks }) => [`## ${title}`, ...blocks.map(blockText)]),
    ...sections.flatMap(sectionText),
  ].join('\n\n')}\n`;
};

const contents = (chapters: Chapter[], sections: Section[]): string =>
  [
    ...chapters.map(({ title }) => `- [${title}](#${anchorOf(title)})`),
    ...sections.map(
      ({ name, operations }) =>
        `- [${name}](#${anchorOf(name)}): ${operations
          .map(({ summary }) => `[${summary}](#${anchorOf(summary)})`)
          .join(', ')}`,
    ),
  ].join('\n');

const anchorOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');

const blockText = (block: Block): string => {
  if (block.kind === 'text') return block.text;
  if (block.kind === 'list') return block.items.map((item) => `- ${item}`).join('\n');
  if (block.kind === 'table') return tableText(block);
  if (block.kind === 'code') return `${block.title}:\n\n${fenced(block.code)}`;
  return `**${block.title}.** ${block.text}\n\n${block.terms.map((term) => `\`${term}\``).join(', ')}`;
};

const tableText = ({ head, rows }: Omit<Table, 'caption'>): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

const fenced = (code: string): string =>
  `\`\`\`${code.startsWith('curl') ? 'sh' : 'json'}\n${code}\n\`\`\``;

const sectionText = ({ name, description, operations }: Section): string[] => [
  `## ${name}`,
  description,
  ...operations.flatMap(operationText),
];

const operationText = (operation: Operation): string[] => [
  `### ${operation.summary}`,
  `\`${operation.method} ${operation.path}\``,
  ...operation.paragraphs,
  ...fieldTable('Path', operation.pathParameters),
  ...fieldTable('Query', operation.queryParameters),
  ...fieldTable(operation.isBodyOptional ? 'Body (may be left out)' : 'Body', operation.bodyFields),
  fenced(operation.requestExample),
  `Answers \`${operation.status}\` with ${operation.answer}`,
  answerTable(operation.answerFields),
  fenced(operation.answerExample),
  ...refusalTable(operation.refusals),
];

const fieldTable = (title: string, fields: Field[]): string[] => {
  if (fields.length === 0) return [];
  const rows = fields.map(({ name, type, isRequired, limits, description }) => [
    `\`${name}\``,
    type,
    isRequired ? 'yes' : '',
    limits.join('; '),
    description,
  ]);
  return [`${title}:`, tableText({ head: ['Field', 'Type', 'Required', 'Limits', ''], rows })];
};

const answerTable = (fields: Field[]): string =>
  tableText({
    head: ['Field', 'Type', 'Values', ''],
    rows: fields.map(({ name, type, limits, description }) => [
      `\`${name}\``,
      type,
      limits.join('; '),
      description,
    ]),
  });

const refusalTable = (refusals: Operation['refusals']): string[] =>
  refusals.length === 0
    ? []
    : [
        tableText({
          head: ['Refused with', 'when'],
          rows: refusals.map(({ status, reason }) => [`\`${status}\``, reason]),
        }),
      ];
