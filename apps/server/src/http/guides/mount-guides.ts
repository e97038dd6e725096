import { readdirSync } from 'node:fs';
import type { Hono } from 'hono';
import { once } from '../../kernel/concurrency.ts';
import { type Asset, makeAsset, readBeside, sendAsset } from '../assets.ts';
import { pageTokens } from '../brand/mount-brand.ts';
import type { HttpEnv } from '../context.ts';
import { guideHtml } from './guide-page.tsx';
import { type GuidePicture, picturesPath, readGuidePictures } from './pictures.ts';
import { renderGuide, titleOf, withOwnAddress } from './render-guide.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const folder = '../../../../../docs/guides';
const stylePath = '/guides/style.css';

/** The guides of `docs/guides`, with this installation's own address where it has to be copied. */
export const mountGuides = (app: Hono<HttpEnv>, baseUrl: string): void => {
  const style = once(() => makeAsset('text/css', [pageTokens, ...sheets()].join('\n')));
  const pictures = once(readGuidePictures);
  const guides = once(() => readGuides(baseUrl, `${stylePath}?v=${style().hash}`, pictures()));

  app.get(stylePath, (context) => sendAsset(context, style()));
  app.get(`${picturesPath}/:file`, (context) => {
    const picture = pictures().get(context.req.param('file'));
    return picture ? sendAsset(context, picture) : context.notFound();
  });
  const texts = once(() => readTexts(baseUrl));
  app.on('GET', ['/guides', '/guides/:name'], (context) => {
    const name = context.req.param('name') ?? 'README';
    const text = texts().get(name);
    if (text) return sendAsset(context, text);
    const guide = guides().get(name);
    if (!guide) return context.notFound();
    context.header('Content-Security-Policy', contentSecurityPolicy);
    context.header('Referrer-Policy', 'same-origin');
    return sendAsset(context, guide);
  });
};

/** The same guides as they are written, and a list of them: for programs that read, such as assistants. */
const readTexts = (baseUrl: string): Map<string, Asset> => {
  const read = markdownFiles().map((file) => ({
    name: nameOf(file),
    text: withOwnAddress(readBeside(import.meta.url, `${folder}/${file}`), baseUrl),
  }));
  const list = read.map(({ name, text }) => ({ name, title: titleOf(text) }));
  return new Map([
    ['index.json', makeAsset('application/json', JSON.stringify(list))],
    ...read.map(({ name, text }): [string, Asset] => [
      `${name}.md`,
      makeAsset('text/markdown', text),
    ]),
  ]);
};

/** The parts come last, since they overrule what holds for all text. */
const sheets = (): string[] =>
  ['./guides.css', '../brand/site-header.css', './guide-parts.css', './contents.css'].map((file) =>
    readBeside(import.meta.url, file),
  );

const readGuides = (
  baseUrl: string,
  style: string,
  pictures: Map<string, GuidePicture>,
): Map<string, Asset> => {
  const files = markdownFiles();
  const names = files.map(nameOf);
  const read = files.map((file) => {
    const text = readBeside(import.meta.url, `${folder}/${file}`);
    return { name: nameOf(file), ...renderGuide(text, { baseUrl, pictures, names }) };
  });
  const index = read.find(({ name }) => name === 'README');
  return new Map(
    read.map((guide) => {
      const next = read.find(({ name }) => name === nameAfter(guide.name, index?.html ?? ''));
      return [guide.name, makeAsset('text/html', guideHtml({ ...guide, style, next }))];
    }),
  );
};

/** The guide whose link follows on the page that lists them. */
const nameAfter = (name: string, index: string): string | undefined => {
  const listed = [...index.matchAll(/href="\/guides\/([\w-]+)"/g)].map(([, found]) => found);
  return listed[listed.indexOf(name) + 1];
};

const nameOf = (file: string): string => file.replace(/^.*\//, '').slice(0, -'.md'.length);

const markdownFiles = (): string[] => [
  ...readdirSync(new URL(folder, import.meta.url)).filter((file) => file.endsWith('.md')),
  '../mcp.md',
  '../operations.md',
];
