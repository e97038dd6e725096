/** Stands in the guides for the address of an installation. */
const exampleAddress = 'https://holdfast.example';

/** Files of the repository that are pages of the service too. */
const servedFiles = new Map([
  ['README.md', '/guides'],
  ['../api.md', '/docs'],
]);

/** The text of a guide as HTML; links to other guides become links to their pages. */
export const renderGuide = (text: string, baseUrl: string): { title: string; html: string } => {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? 'Guides';
  const html = Bun.markdown
    .html(text.replaceAll(exampleAddress, baseUrl), { headings: { ids: true } })
    .replaceAll(/<a href="([^"]+)">(.*?)<\/a>/gs, (_, target: string, label: string) => {
      const page = pageOf(target);
      return page ? `<a href="${page}">${label}</a>` : label;
    })
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>')
    // A heading without a word tells a screen reader nothing.
    .replaceAll('<th></th>', '<td></td>');
  return { title, html };
};

/** Undefined for files that only the repository has. */
const pageOf = (target: string): string | undefined => {
  if (/^(https?:\/\/|#)/.test(target)) return target;
  const [, name, fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
  return servedFiles.get(target) ?? (name && `/guides/${name}${fragment}`);
};
