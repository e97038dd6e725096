import { catalog } from '@holdfast/sdk/catalog';
import { z } from 'zod';
import { Refusal } from '../answer.ts';
import { callConfirmed, planCall } from '../confirm.ts';
import { type CallInput, callOperation, findOperations, operationOf } from '../operations.ts';
import { defineTool } from '../tool.ts';

const mostFound = 12;

const effects = z.object({
  isReadOnly: z.boolean(),
  isDestructive: z.boolean(),
  isGuarded: z.boolean().describe('It needs a plan and a typed name.'),
  showsSecret: z.boolean().describe('It is refused here, since its answer is a secret.'),
  isIdempotent: z.boolean(),
});

export const findOperation = defineTool({
  name: 'find_operation',
  title: 'Find an operation',
  description: `Searches the ${catalog.length} operations of the Holdfast API by words such as "firewall rule" or "cancel pull". Use it when no other tool does what is asked, then describe_operation and call_operation.`,
  input: z.object({ query: z.string().min(1).max(200).describe('A few words.') }),
  output: z.object({
    operations: z.array(
      effects.extend({ name: z.string(), summary: z.string(), scope: z.string() }),
    ),
  }),
  uses: 'none',
  async run(_, { query }) {
    const found = findOperations(query).slice(0, mostFound);
    return {
      guidance: found.length === 0 ? ['Nothing was found: try other words.'] : [],
      data: {
        operations: found.map((operation) => ({
          ...{ name: operation.name, summary: operation.summary, scope: operation.scope },
          ...effects.parse(operation),
        })),
      },
    };
  },
});

const operationName = z
  .string()
  .min(1)
  .max(100)
  .describe('Its name, such as `createFirewallRule`.');

export const describeOperation = defineTool({
  name: 'describe_operation',
  title: 'Read the schema of an operation',
  description:
    'What an operation of the Holdfast API takes and returns, as JSON Schema: `params` (of the path), `query` and `body`; the scope that the key needs, and why it can be refused.',
  input: z.object({ operation: operationName }),
  output: effects.extend({ name: z.string(), scope: z.string() }).loose(),
  uses: 'none',
  async run(_, { operation: name }) {
    const { command: _command, bodyExample: _example, ...operation } = operationOf(name);
    return {
      guidance: [
        ...(operation.showsSecret ? [secretsElsewhere] : []),
        ...(operation.isGuarded ? [planFirst] : []),
      ],
      data: operation,
    };
  },
});

export const planFirst =
  'A person has to confirm it: the first call does nothing and returns a plan. Only when the person has seen the plan and agreed, call again with the same arguments, its `planId` and the name that the person typed.';

const secretsElsewhere =
  'Its answer is a secret, and what an assistant reads stays in its transcript. The owner can do it in the dashboard, or in a terminal with the `holdfast` program.';

export const callAnyOperation = defineTool({
  name: 'call_operation',
  title: 'Call an operation',
  description:
    'Calls any operation of the Holdfast API. The API checks scopes, plan, limits and input, and says which field is wrong. An operation that destroys, moves money, changes credentials or weakens protection (`isGuarded`) does nothing at the first call but returns a plan with its `planId`: show it to the person, and call again with the same arguments, the `planId`, and as `confirmName` the exact name of the server that the person typed (for what belongs to no server: the username of the account). One whose answer is a secret (`showsSecret`) is refused.',
  input: z.object({
    operation: operationName,
    params: z.record(z.string(), z.string()).optional().describe('The parameters of its path.'),
    query: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    body: z.record(z.string(), z.unknown()).optional(),
    planId: z.string().max(200).optional().describe('Only for what is guarded: from its plan.'),
    confirmName: z
      .string()
      .max(200)
      .optional()
      .describe('Only for what is guarded: typed exactly.'),
  }),
  output: z.looseObject({ operation: z.string(), isDone: z.boolean() }),
  uses: 'any',
  async run(toolbox, { operation, planId, confirmName, ...parts }, { signal }) {
    const call = { operation, ...withoutEmpty(parts) };
    const { isGuarded, showsSecret } = operationOf(operation);
    if (showsSecret) throw new Refusal('secret', secretsElsewhere);
    if (!isGuarded) {
      const result = await callOperation(toolbox.holdfast, call, { signal });
      return { data: { operation, isDone: true, result } };
    }
    if (planId === undefined) {
      const planned = await planCall(toolbox, call);
      return {
        guidance: ['Nothing was done.', planFirst],
        data: { operation, isDone: false, ...planned },
      };
    }
    const result = await callConfirmed(toolbox, call, { planId, name: confirmName });
    return { data: { operation, isDone: true, result } };
  },
});

/** `{}` and nothing are the same call, so a plan for one serves the other. */
const withoutEmpty = (parts: CallInput): CallInput =>
  Object.fromEntries(
    Object.entries(parts).filter(([, part]) => part && Object.keys(part).length > 0),
  );
