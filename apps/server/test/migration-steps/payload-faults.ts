export type PayloadSchema = {
  properties?: Record<string, unknown>;
  required?: string[];
  additionalProperties?: unknown;
};

/** Why a job that one of two releases queued could not be run by the other. */
export const findPayloadFaults = (
  before: Record<string, PayloadSchema>,
  now: Record<string, PayloadSchema>,
): string[] =>
  Object.entries(before).flatMap(([job, old]) => {
    const present = now[job];
    if (!present) return [`${job}: the release before may have queued some, so they must be run`];
    return faultsOfJob(old, present).map((fault) => `${job}: ${fault}`);
  });

const faultsOfJob = (old: PayloadSchema, present: PayloadSchema): string[] => {
  const [oldNeeds, needs] = [old.required ?? [], present.required ?? []];
  const changed = Object.entries(present.properties ?? {}).filter(([field, schema]) => {
    const known = old.properties?.[field];
    return known !== undefined && JSON.stringify(known) !== JSON.stringify(schema);
  });
  return [
    ...needs
      .filter((field) => !oldNeeds.includes(field))
      .map((field) => `the release before does not write ${field}: it must be optional`),
    ...oldNeeds
      .filter((field) => !needs.includes(field))
      .map((field) => `the release before needs ${field}: it must still be written`),
    ...changed.map(([field]) => `${field} means something else to the release before`),
    ...(present.additionalProperties === false ? ['fields of a later release are refused'] : []),
  ];
};
