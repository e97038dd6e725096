/** What the audit log of a guild says about what each of our jobs does in it. */
export const auditReasons = {
  restore: (restoreId: string) => `Holdfast restore ${restoreId}`,
  pull: (pullId: string) => `Holdfast pull ${pullId}`,
  massVerification: (id: string) => `Holdfast mass verification ${id}`,
  raid: (incidentId: string) => `Holdfast raid ${incidentId}`,
  rejoin: () => 'Holdfast: came back',
  setup: () => 'Holdfast set-up',
  verification: () => 'Holdfast verification',
  stop: () => 'Holdfast protection: attack stopped',
  rolesBack: () => 'Holdfast protection: roles given back',
};

export type ClaimedJob = { job: keyof typeof auditReasons; id: string };

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const noId = '00000000-0000-0000-0000-000000000000';
// `keys` forgets the names.
const jobs = Object.keys(auditReasons) as ClaimedJob['job'][];

/**
 * Which job an entry of the audit log says that it is of, with the id where the reason has one. Everybody
 * who sees the log can copy a reason, so this proves nothing.
 */
export const jobOfReason = (reason: string | null): ClaimedJob | undefined => {
  const id = uuid.exec(reason ?? '')?.[0] ?? noId;
  const job = jobs.find((one) => auditReasons[one](id) === reason);
  return job && { job, id };
};
