/** @jsxImportSource hono/jsx */
import type { Field } from './fields.ts';
import type { Block, Table } from './guide.ts';

/** Text in which backticks become code. */
export const InlineText = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
);

export const Code = ({ title, code }: { title: string; code: string }) => (
  <figure class="code">
    <figcaption>{title}</figcaption>
    <pre tabindex={0}>
      <code>{code.startsWith('curl') ? code : <Json text={code} />}</code>
    </pre>
  </figure>
);

/** Only names are highlighted. */
const Json = ({ text }: { text: string }) => (
  <>
    {text
      .split(/("\w+"(?=:))/)
      .map((part, index) => (index % 2 === 1 ? <span>{part}</span> : part))}
  </>
);

export const FieldTable = ({ fields, title }: { fields: Field[]; title: string }) => (
  <table class="fields" aria-label={title}>
    <tbody>
      {fields.map((field) => (
        <tr>
          <th scope="row">
            <FieldName name={field.name} />
          </th>
          <td>
            <FieldMeaning field={field} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** A long name may wrap after each dot and before each capital only. */
const FieldName = ({ name }: { name: string }) => (
  <code>
    {name
      .split(/(?<=[.\]])(?=\w)|(?<=[a-z])(?=[A-Z])/)
      .map((part, index) => (index === 0 ? part : [<wbr />, part]))}
  </code>
);

const FieldMeaning = ({ field }: { field: Field }) => (
  <>
    <span class="type">{field.type}</span>
    {field.isRequired && <strong class="required">required</strong>}
    {field.limits.map((limit) => (
      <span class="limit">
        <InlineText text={limit} />
      </span>
    ))}
    {field.description && (
      <p>
        <InlineText text={field.description} />
      </p>
    )}
  </>
);

export const GuideBlock = ({ block }: { block: Block }) => {
  if (block.kind === 'code') return <Code title={block.title} code={block.code} />;
  if (block.kind === 'table') return <GuideTable {...block} />;
  if (block.kind === 'terms') return <Terms {...block} />;
  if (block.kind === 'text') {
    return (
      <p>
        <InlineText text={block.text} />
      </p>
    );
  }
  return (
    <ul>
      {block.items.map((item) => (
        <li>
          <InlineText text={item} />
        </li>
      ))}
    </ul>
  );
};

const Terms = ({ title, text, terms }: Extract<Block, { kind: 'terms' }>) => (
  <>
    <h3>{title}</h3>
    <p>
      <InlineText text={text} />
    </p>
    <ul class="terms">
      {terms.map((term) => (
        <li>
          <code>{term}</code>
        </li>
      ))}
    </ul>
  </>
);

/** A wide table scrolls on a phone, so it must be focusable by keyboard. */
const GuideTable = ({ caption, head, rows }: Table) => {
  const table = (
    <table class={head.length > 2 ? 'wide' : 'pairs'}>
      <caption>{caption}</caption>
      <thead>
        <tr>{head.map((cell) => (cell === '' ? <td /> : <th scope="col">{cell}</th>))}</tr>
      </thead>
      <tbody>
        {rows.map(([first = '', ...rest]) => (
          <tr>
            <th scope="row">
              <InlineText text={first} />
            </th>
            {rest.map((cell) => (
              <td>
                <InlineText text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
  if (head.length <= 2) return table;
  return (
    <section class="scroll" tabindex={0} aria-label={caption}>
      {table}
    </section>
  );
};
