import { withCode } from './code.ts';
import { type GuidePicture, pictureUrl } from './pictures.ts';
import { withTables } from './tables.ts';

/** Stands in the guides for the address of an installation. */
const exampleAddress = 'https://holdfast.example';

/** Files of the repository, other than guides, that are pages of the service too. */
const servedFiles = new Map([
  ['README.md', '/guides'],
  ['../api.md', '/docs'],
  ['../mcp.md', '/guides/mcp'],
  ['../operations.md', '/guides/operations'],
]);

export type Heading = { id: string; label: string; parts: Heading[] };
type Guide = { title: string; html: string; headings: Heading[] };
type Pictures = Map<string, GuidePicture>;

type Surroundings = { baseUrl: string; pictures: Pictures; names: readonly string[] };

/**
 * The text of a guide as HTML; links to other guides become links to their pages. Where only the repository has
 * the page, a link is plain text, and one in brackets is left out.
 */
export const renderGuide = (text: string, { baseUrl, pictures, names }: Surroundings): Guide => {
  const html = Bun.markdown
    .html(withOwnAddress(text, baseUrl), { headings: { ids: true } })
    .replaceAll(/\s\(<a href="([^"]+)">[^<]*<\/a>\)/g, (aside, target: string) =>
      pageOf(target, names) ? aside : '',
    )
    .replaceAll(/<a href="([^"]+)">(.*?)<\/a>/gs, (_, target: string, label: string) => {
      const page = pageOf(target, names);
      return page ? `<a href="${page}">${label}</a>` : label;
    });
  return {
    title: titleOf(text),
    html: withPictures(withTables(withCode(withParts(html))), pictures),
    headings: headingsOf(html),
  };
};

export const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? 'Guides';

export const withOwnAddress = (text: string, baseUrl: string): string =>
  text.replaceAll(exampleAddress, baseUrl);

/** Those of the second level, each with those of the third below it. */
const headingsOf = (html: string): Heading[] =>
  html
    .split(/(?=<h2 )/)
    .slice(1)
    .flatMap((section) =>
      headingsIn(section, 2).map((heading) => ({ ...heading, parts: headingsIn(section, 3) })),
    );

/** Fewer are seen at a glance. */
const fewestParts = 3;

/** Under the title of a section with several parts, links to them. */
const withParts = (html: string): string =>
  html
    .split(/(?=<h[23] )/)
    .map((section) => {
      const parts = headingsIn(section, 4);
      if (parts.length < fewestParts) return section;
      const links = parts.map(({ id, label }) => `<a href="#${id}">${label}</a>`).join(' ');
      return section.replace('</h3>', () => `</h3><p class="parts">${links}</p>`);
    })
    .join('');

const headingsIn = (html: string, level: 2 | 3 | 4): Heading[] =>
  [...html.matchAll(new RegExp(`<h${level} id="([^"]+)">(.*?)</h${level}>`, 'gs'))].map(
    ([, id = '', label = '']) => ({ id, label: label.replaceAll(/<[^>]+>/g, ''), parts: [] }),
  );

/** Pictures keep their place while they load, and load when they are about to be seen. */
const withPictures = (html: string, pictures: Pictures): string =>
  html.replaceAll(/ (src|srcset)="pictures\/([^"]+)"/g, (_, attribute: string, file: string) => {
    const picture = pictures.get(file);
    if (!picture) throw new Error(`A guide shows a picture that is not there: ${file}`);
    const url = ` ${attribute}="${pictureUrl(file, picture)}"`;
    const { width, height } = picture;
    if (attribute === 'srcset') return `${url} width="${width}" height="${height}"`;
    return `${url} width="${width}" height="${height}" loading="lazy" decoding="async"`;
  });

/** Undefined for files that only the repository has. */
const pageOf = (target: string, names: readonly string[]): string | undefined => {
  if (/^(https?:\/\/|#)/.test(target)) return target;
  const [file = '', fragment] = target.split('#');
  const name = names.find((known) => file === `${known}.md`);
  const page = servedFiles.get(file) ?? (name && `/guides/${name}`);
  return page && fragment ? `${page}#${fragment}` : page;
};
