import { isolatedName } from '../../components/display.tsx';
import { endSentence, formatCount, plural } from '../../labels/format.ts';
import { actsText } from '../../labels/incident-acts.ts';
import {
  formatMs,
  incidentState,
  stepText,
  stopCodeText,
  triggerText,
} from '../../labels/incidents.ts';
import type { Incident, IncidentCourse } from '../../queries/records.ts';

export type TimelineEntry = {
  key: string;
  at: string;
  /** Whose doing it is: the attackers', or Holdfast's, which may not have worked. */
  side: 'attack' | 'answer' | 'failure' | 'notice' | 'end';
  title: string;
  detail?: string;
  /** The acts that it stands for. */
  acts?: { executorId: string; action: string };
};

type Times = Pick<Incident, 'kind' | 'status' | 'endedAt'>;
type Group = IncidentCourse['groups'][number];
type NameOf = (platformId: string) => string;

/**
 * What the attackers did and what Holdfast did about it, in one order. However many acts: one entry each
 * kind. A raid begins with how many joined.
 */
export const timelineOf = (
  course: IncidentCourse,
  incident: Times,
  nameOf: NameOf,
  joined?: number,
): TimelineEntry[] => {
  const shownName = (platformId: string) => isolatedName(nameOf(platformId));
  const entries = [
    ...wave(course, joined),
    ...course.groups.map((group) => groupEntry(group, shownName)),
    noticed(course),
    ...course.steps.map((step) => stepEntry(step, shownName)),
    ...ended(incident),
  ];
  return entries.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
};

const wave = ({ firstActAt }: IncidentCourse, joined: number | undefined): TimelineEntry[] =>
  joined === undefined
    ? []
    : [
        {
          ...{ key: 'joined', at: firstActAt, side: 'attack' },
          title: `${plural(joined, 'account')} joined`,
        },
      ];

const groupEntry = (group: Group, nameOf: NameOf): TimelineEntry => {
  const { executorId, kind, action, count, firstAt, lastAt } = group;
  const lastedMs = Date.parse(lastAt) - Date.parse(firstAt);
  const within = count > 1 ? ` in ${formatMs(lastedMs)}` : '';
  return {
    ...{ key: `${executorId} ${action} ${kind}`, at: firstAt, side: 'attack' },
    title: `${nameOf(executorId)} ${actsText(action, count)}${within}`,
    ...(group.names.length > 0 && { detail: namesText(group) }),
    // One act is all told here.
    ...(count > 1 && { acts: { executorId, action } }),
  };
};

const namesText = ({ names, count }: Group): string => {
  const shown = names.map(isolatedName).join(', ');
  return names.length < count ? `${shown} and ${formatCount(count - names.length)} more` : shown;
};

const noticed = ({ detectedAt, trigger }: IncidentCourse): TimelineEntry => ({
  ...{ key: 'noticed', at: detectedAt, side: 'notice' },
  title: `Holdfast noticed it: ${triggerText(trigger.kind)}`,
});

const stepEntry = (step: IncidentCourse['steps'][number], nameOf: NameOf): TimelineEntry => ({
  ...{ key: `step ${step.seq}`, at: step.endedAt ?? step.at },
  side: step.status === 'failed' ? 'failure' : 'answer',
  title: stepText(step, nameOf),
  ...(step.code !== null && { detail: endSentence(stopCodeText(step.code)) }),
});

const ended = ({ kind, status, endedAt }: Times): TimelineEntry[] => {
  if (endedAt === null) return [];
  const { title } = incidentState({ kind, status });
  return [{ key: 'ended', at: endedAt, side: 'end', title }];
};
