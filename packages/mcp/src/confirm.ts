import type { Holdfast } from '@holdfast/sdk';
import { type CatalogOperation, fieldsOf } from '@holdfast/sdk/catalog';
import { z } from 'zod';
import { type Affected, lastingPart, readAffected } from './affected.ts';
import { Refusal } from './answer.ts';
import { callOperation, type OperationCall, operationOf, requireCallable } from './operations.ts';
import { hashOf, type PlanIds } from './plan-id.ts';
import { nameAsShown } from './untrusted.ts';

/**
 * What a person has to confirm is called twice. The first call changes nothing and returns a plan with its
 * id: what is affected, and how. The second must have that id and the name of the server; the plan is
 * computed again before, and what has changed since is left alone. What belongs to no server asks for the
 * account's username.
 */
type Confirmable = { holdfast: Holdfast; planIds: PlanIds };

type Confirmation = { planId?: string; name?: string };

type Plan = Affected & {
  operation: string;
  does: string;
  /** What has to be typed. */
  name: string;
  serverId: string | null;
  changes?: Change[];
};

/** What `planCall` returns, for tools that say what they answer. */
export const planShape = z.looseObject({
  planId: z.string(),
  expiresAt: z.string(),
  plan: z.looseObject({ name: z.string(), serverId: z.string().nullable() }),
});

/** `from` is missing where the record does not tell. */
type Change = { field: string; from?: unknown; to: unknown };

/** Nothing is changed by it. */
export const planCall = async ({ holdfast, planIds }: Confirmable, call: OperationCall) => {
  const plan = await computePlan(holdfast, call);
  return { ...(await planIds.issue(call, saidBy(plan))), plan };
};

/** Makes the call, if it was planned and is confirmed. */
export const callConfirmed = async (
  { holdfast, planIds }: Confirmable,
  call: OperationCall,
  { planId, name }: Confirmation,
): Promise<unknown> => {
  if (planId === undefined || name === undefined) {
    throw new Refusal('planRequired', 'It needs the id of a plan and a typed name.');
  }
  const checked = await planIds.check(planId, call);
  if (checked === 'invalid') throw new Refusal('planInvalid', messages.planInvalid);
  if (checked === 'expired') throw new Refusal('planExpired', messages.planExpired);
  const plan = await computePlan(holdfast, call);
  if (!(await checked.isAbout(saidBy(plan)))) {
    const renewed = { ...(await planIds.issue(call, saidBy(plan))), plan };
    throw new Refusal('planChanged', messages.planChanged, renewed);
  }
  if (nameAsShown(name) !== plan.name) throw new Refusal('nameMismatch', messages.nameMismatch);
  // The same plan carried out twice is one request.
  const idempotencyKey = (await hashOf(planId)).toString('hex');
  const { method } = operationOf(call.operation);
  return callOperation(holdfast, call, method === 'POST' ? { idempotencyKey } : {});
};

const messages = {
  planInvalid:
    'This planId was not issued to this API key for exactly this call. Make a plan first, and call with the same arguments.',
  planExpired: 'The plan is older than 15 minutes. Make a new one and show it to the person.',
  planChanged:
    'What the plan is about has changed since it was made. Show the new plan, and use its id if the person still agrees.',
  nameMismatch:
    'The typed name is not the exact name. Ask the person to type `plan.name`: the name of what is affected, or its id where it has no name that can be seen.',
};

const computePlan = async (holdfast: Holdfast, call: OperationCall): Promise<Plan> => {
  const operation = operationOf(call.operation);
  requireCallable(operation, call);
  const affected = await readAffected(holdfast, operation, call);
  const serverId = serverIdOf(operation, call, affected.record) ?? null;
  return {
    operation: operation.name,
    does: operation.description ?? operation.summary,
    name: await nameToType(holdfast, serverId, affected.record),
    serverId,
    ...affected,
    ...(call.body && { changes: changesOf(operation, call.body, affected.record) }),
  };
};

const nameToType = async (
  holdfast: Holdfast,
  serverId: string | null,
  record: Affected['record'],
): Promise<string> => {
  if (serverId === null) {
    const { id, username } = await holdfast.getAccount();
    return nameAsShown(username) ?? id;
  }
  const isRead = record?.id === serverId && typeof record.name === 'string';
  const name = isRead ? record.name : (await holdfast.getServer({ params: { id: serverId } })).name;
  return nameAsShown(String(name)) ?? serverId;
};

/** The server that is changed: of a restore or a pull, the one that they go into. */
const serverIdOf = (
  { path }: CatalogOperation,
  { params, body }: OperationCall,
  record: Affected['record'],
): string | undefined => {
  const own = path.startsWith('/servers/:id') ? params?.id : undefined;
  return [body?.targetServerId, own, record?.targetServerId, record?.serverId].find(
    (id) => typeof id === 'string',
  );
};

const changesOf = (
  operation: CatalogOperation,
  body: Record<string, unknown>,
  record: Affected['record'],
): Change[] => {
  const secrets = fieldsOf(operation.body).filter(({ schema }) => schema.writeOnly);
  return Object.entries(body).map(([field, to]) => ({
    field,
    ...(record && field in record && { from: record[field] }),
    to: secrets.some(({ name }) => name === field) ? 'a secret, which is not shown' : to,
  }));
};

/** What must not have changed. The changes follow from the call and from the record. */
const saidBy = (plan: Plan): unknown => {
  const { operation, name, serverId } = plan;
  return { operation, name, serverId, ...lastingPart(plan) };
};
