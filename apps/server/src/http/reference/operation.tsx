/** @jsxImportSource hono/jsx */

import { Code, FieldTable, InlineText } from './components.tsx';
import type { Operation } from './model.ts';

/** One endpoint: description on the left, examples on the right of a wide screen. */
export const OperationArticle = ({ operation }: { operation: Operation }) => (
  <article class="operation" id={operation.name}>
    <div class="words">
      <h3>
        <a href={`#${operation.name}`}>{operation.summary}</a>
      </h3>
      <p class="route">
        <Method name={operation.method} />
        <Path path={operation.path} />
      </p>
      {operation.paragraphs.map((paragraph) => (
        <p>
          <InlineText text={paragraph} />
        </p>
      ))}
      <Fields title="Path" fields={operation.pathParameters} operation={operation} />
      <Fields title="Query" fields={operation.queryParameters} operation={operation} />
      <Fields
        title={operation.isBodyOptional ? 'Body, may be left out' : 'Body'}
        fields={operation.bodyFields}
        operation={operation}
      />
      <Answer operation={operation} />
      <Refusals refusals={operation.refusals} />
    </div>
    <div class="samples">
      <Code title="Request" code={operation.requestExample} />
      <Code title={`Response ${operation.status}`} code={operation.answerExample} />
    </div>
  </article>
);

export const Method = ({ name }: { name: string }) => (
  <span class={`method ${name.toLowerCase()}`}>{name}</span>
);

/** Wraps only before a slash. */
const Path = ({ path }: { path: string }) => (
  <code>{path.split(/(?<=\w|\})(?=\/)/).map((part) => [part, <wbr />])}</code>
);

type FieldsOf = { title: string; fields: Operation['bodyFields']; operation: Operation };

const Fields = ({ title, fields, operation }: FieldsOf) =>
  fields.length === 0 ? null : (
    <>
      <h4>{title}</h4>
      <FieldTable fields={fields} title={`${title} of “${operation.summary}”`} />
    </>
  );

const Answer = ({ operation }: { operation: Operation }) => (
  <>
    <h4>Response</h4>
    <p>
      <code>{operation.status}</code> with <InlineText text={operation.answer} />
    </p>
    <details>
      <summary>
        {operation.answerFields.length} fields<span class="unseen"> of “{operation.summary}”</span>
      </summary>
      <FieldTable fields={operation.answerFields} title={`Response of “${operation.summary}”`} />
    </details>
  </>
);

const Refusals = ({ refusals }: Pick<Operation, 'refusals'>) =>
  refusals.length === 0 ? null : (
    <>
      <h4>Errors</h4>
      <dl class="refusals">
        {refusals.map(({ status, reason }) => (
          <div>
            <dt>
              <code>{status}</code>
            </dt>
            <dd>
              <InlineText text={reason} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
