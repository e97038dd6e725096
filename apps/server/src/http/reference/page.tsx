/** @jsxImportSource hono/jsx */
import type { OpenApiDocument } from '@holdfast/contract';
import { raw } from 'hono/html';
import { headLinks } from '../brand/mount-brand.ts';
import { SiteHeader } from '../brand/site-header.tsx';
import { GuideBlock, InlineText } from './components.tsx';
import { type Chapter, chaptersOf, type LimitsOf } from './guide.ts';
import { baseUrlOf, type Section, sectionsOf } from './model.ts';
import { Method, OperationArticle } from './operation.tsx';

type Assets = { style: string; script: string };

/** The whole reference as one HTML document. */
export const referenceHtml = (
  document: OpenApiDocument,
  limitsOf: LimitsOf,
  assets: Assets,
): string => {
  const chapters = chaptersOf(document, limitsOf);
  const sections = sectionsOf(document);
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{document.info.title} API reference</title>
        {raw(headLinks)}
        <link rel="stylesheet" href={assets.style} />
        <script type="module" src={assets.script} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the reference
        </a>
        <SiteHeader current="/docs" />
        <Navigation chapters={chapters} sections={sections} />
        <main id="main" tabindex={-1}>
          <Opening document={document} />
          {chapters.map((chapter) => (
            <ChapterSection chapter={chapter} />
          ))}
          {sections.map((section) => (
            <TagSection section={section} />
          ))}
        </main>
        <footer>
          <p>
            {document.info.title} {document.info.version}, MIT licence. This page is made from the
            same contract that checks every request.
          </p>
        </footer>
      </body>
    </html>
  );
  return `<!doctype html>${page}`;
};

const Opening = ({ document }: { document: OpenApiDocument }) => {
  const [lead = ''] = (document.info.description ?? '').split('\n\n');
  return (
    <section class="chapter opening">
      <h1>{document.info.title} API reference</h1>
      <p class="lead">
        <InlineText text={lead} />
      </p>
      <dl class="facts">
        <div>
          <dt>Base URL</dt>
          <dd>
            <code>{baseUrlOf(document)}</code>
          </dd>
        </div>
        <div>
          <dt>Version</dt>
          <dd>{document.info.version}</dd>
        </div>
        <div>
          <dt>For machines</dt>
          <dd>
            <a href="/openapi.json">OpenAPI {document.openapi}</a>
          </dd>
        </div>
      </dl>
    </section>
  );
};

const Navigation = ({ chapters, sections }: { chapters: Chapter[]; sections: Section[] }) => (
  <nav class="reference" aria-label="Reference">
    <details>
      <summary>Contents</summary>
      <div class="contents">
        <p>Guide</p>
        <ul>
          {chapters.map(({ id, title }) => (
            <li>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
        {sections.map(({ name, operations }) => (
          <>
            <p>
              <a href={`#${idOf(name)}`}>{name}</a>
            </p>
            <ul>
              {operations.map((operation) => (
                <li>
                  <a href={`#${operation.name}`}>
                    <Method name={operation.method} />
                    {operation.summary}
                  </a>
                </li>
              ))}
            </ul>
          </>
        ))}
      </div>
    </details>
  </nav>
);

const ChapterSection = ({ chapter }: { chapter: Chapter }) => (
  <section class="chapter" id={chapter.id}>
    <h2>
      <a href={`#${chapter.id}`}>{chapter.title}</a>
    </h2>
    {chapter.blocks.map((block) => (
      <GuideBlock block={block} />
    ))}
  </section>
);

const TagSection = ({ section }: { section: Section }) => (
  <section class="tag" id={idOf(section.name)}>
    <h2>
      <a href={`#${idOf(section.name)}`}>{section.name}</a>
    </h2>
    <p class="lead">
      <InlineText text={section.description} />
    </p>
    {section.operations.map((operation) => (
      <OperationArticle operation={operation} />
    ))}
  </section>
);

const idOf = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`;
