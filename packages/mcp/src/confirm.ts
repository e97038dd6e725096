import type { Holdfast, Input } from '@holdfast/sdk';
import { type CatalogOperation, catalog } from '@holdfast/sdk/catalog';
import { Refusal } from './answer.ts';
import { callOperation, type OperationCall, operationOf } from './operations.ts';
import { hashOf, type PlanIds } from './plan-id.ts';
import { cleanText } from './untrusted.ts';

/**
 * What destroys is called twice. The first call changes nothing and returns a plan with its id. The second
 * must have that id and the name of the server, typed exactly; the plan is computed again before, and a
 * server that has changed since is left alone. What belongs to no server asks for the account's username.
 */
type Confirmable = { holdfast: Holdfast; planIds: PlanIds };

type Confirmation = { planId?: string; name?: string };

type Plan = {
  operation: string;
  does: string;
  /** The name that has to be typed. */
  name: string;
  serverId: string | null;
  /** What the API says would happen, or the record that is about to be gone. */
  preview: unknown;
};

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
    throw new Refusal('planRequired', 'This destroys: it needs the id of a plan and a typed name.');
  }
  const checked = await planIds.check(planId, call);
  if (checked === 'invalid') throw new Refusal('planInvalid', messages.planInvalid);
  if (checked === 'expired') throw new Refusal('planExpired', messages.planExpired);
  const plan = await computePlan(holdfast, call);
  if (!(await checked.isAbout(saidBy(plan)))) {
    const renewed = { ...(await planIds.issue(call, saidBy(plan))), plan };
    throw new Refusal('planChanged', messages.planChanged, renewed);
  }
  // Names are shown cleaned, so that is how they are typed.
  if (cleanText(name) !== cleanText(plan.name)) {
    throw new Refusal('nameMismatch', messages.nameMismatch);
  }
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
    'The server has changed since the plan was made. Show the new plan, and use its id if the person still agrees.',
  nameMismatch:
    'The typed name is not the exact name. Ask the person to type the name of what is affected.',
};

const computePlan = async (holdfast: Holdfast, call: OperationCall): Promise<Plan> => {
  const operation = operationOf(call.operation);
  const preview = await previewOf(holdfast, operation, call);
  const serverId = serverIdOf(operation, call, preview) ?? null;
  const name =
    serverId === null
      ? (await holdfast.getAccount()).username
      : (await holdfast.getServer({ params: { id: serverId } })).name;
  const does = operation.description ?? operation.summary;
  return { operation: operation.name, does, name, serverId, preview };
};

/**
 * A restore is planned by the API. Of anything else the record is shown, where it can be read: the same
 * path, or the one without the verb at its end.
 */
const previewOf = async (
  holdfast: Holdfast,
  operation: CatalogOperation,
  { params, query, body }: OperationCall,
): Promise<unknown> => {
  if (operation.name === 'restoreBackup') {
    // The same input as the restore's, which the API checks.
    return holdfast.planRestore({ params, body } as Input<'planRestore'>);
  }
  const paths = [operation.path, operation.path.replace(/\/[a-z-]+$/, '')];
  const read = catalog.find(
    ({ method, path, isPaginated }) => method === 'GET' && !isPaginated && paths.includes(path),
  );
  if (!read || query) return { params, query };
  return callOperation(holdfast, { operation: read.name, params });
};

const serverIdOf = (
  { name, path }: CatalogOperation,
  { params, body }: OperationCall,
  preview: unknown,
): string | undefined => {
  const target = name === 'restoreBackup' ? body?.targetServerId : undefined;
  if (typeof target === 'string') return target;
  if (path.startsWith('/servers/:id')) return params?.id;
  const hasServer = typeof preview === 'object' && preview !== null && 'serverId' in preview;
  return hasServer && typeof preview.serverId === 'string' ? preview.serverId : undefined;
};

/**
 * What must not have changed: of a restore, what it would do and warns of. How long it takes, or how far a
 * job has come that is to be cancelled, may change.
 */
const saidBy = ({ operation, name, serverId, preview }: Plan): unknown => {
  if (operation !== 'restoreBackup' || typeof preview !== 'object') {
    return { operation, name, serverId };
  }
  return { operation, name, serverId, ...preview, calls: undefined, estimatedSeconds: undefined };
};
