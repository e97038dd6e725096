/** @jsxImportSource hono/jsx */
import type { Field } from './fields.ts';
import type { Block, Table } from './guide.ts';

/** Text with its backticks turned into code. */
export const Words = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
);

export const Code = ({ title, code }: { title: string; code: string }) => (
  <figure class="code">
    <figcaption>{title}</figcaption>
    <pre>
      <code>{code.startsWith('curl') ? code : <Json text={code} />}</code>
    </pre>
  </figure>
);

/** Names stand out from values; nothing else is coloured. */
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

/** A long name may break after each dot and before each capital, and nowhere else. */
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
        <Words text={limit} />
      </span>
    ))}
    {field.description && (
      <p>
        <Words text={field.description} />
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
        <Words text={block.text} />
      </p>
    );
  }
  return (
    <ul>
      {block.items.map((item) => (
        <li>
          <Words text={item} />
        </li>
      ))}
    </ul>
  );
};

const Terms = ({ title, text, terms }: Extract<Block, { kind: 'terms' }>) => (
  <>
    <h3>{title}</h3>
    <p>
      <Words text={text} />
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

/** What is too wide for a phone scrolls by itself, and so must be reachable by keyboard. */
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
              <Words text={first} />
            </th>
            {rest.map((cell) => (
              <td>
                <Words text={cell} />
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
