import { type GuidePicture, pictureUrl } from './pictures.ts';

/** Stands in the guides for the address of an installation. */
const exampleAddress = 'https://holdfast.example';

/** Files of the repository, other than guides, that are pages of the service too. */
const servedFiles = new Map([
  ['README.md', '/guides'],
  ['../api.md', '/docs'],
  ['../operations.md', '/guides/operations'],
]);

export type Heading = { id: string; label: string };
type Guide = { title: string; html: string; headings: Heading[] };
type Pictures = Map<string, GuidePicture>;

/** Wide ones are scrolled on a phone, by keyboard too. */
const tableRegion = 'class="table" role="region" aria-label="Table" tabindex="0"';

type Surroundings = { baseUrl: string; pictures: Pictures; names: readonly string[] };

/** The text of a guide as HTML; links to other guides become links to their pages. */
export const renderGuide = (text: string, { baseUrl, pictures, names }: Surroundings): Guide => {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? 'Guides';
  const html = Bun.markdown
    .html(text.replaceAll(exampleAddress, baseUrl), { headings: { ids: true } })
    .replaceAll(/<a href="([^"]+)">(.*?)<\/a>/gs, (_, target: string, label: string) => {
      const page = pageOf(target, names);
      return page ? `<a href="${page}">${label}</a>` : label;
    })
    .replaceAll('<table>', `<div ${tableRegion}><table>`)
    .replaceAll('</table>', '</table></div>')
    // A heading without a word tells a screen reader nothing.
    .replaceAll('<th></th>', '<td></td>');
  return { title, html: withPictures(html, pictures), headings: headingsOf(html) };
};

const headingsOf = (html: string): Heading[] =>
  [...html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/gs)].map(([, id = '', label = '']) => ({
    id,
    label: label.replaceAll(/<[^>]+>/g, ''),
  }));

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
