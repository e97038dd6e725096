import { Button, Timeline as MantineTimeline, Text, VisuallyHidden } from '@mantine/core';
import {
  type Icon,
  IconAlertTriangle,
  IconEye,
  IconFlag,
  IconShieldCheck,
  IconX,
} from '@tabler/icons-react';
import { Section } from '../../components/page.tsx';
import { formatTime } from '../../labels/format.ts';
import { formatMs } from '../../labels/incidents.ts';
import type { Incident, IncidentCourse } from '../../queries/records.ts';
import { type TimelineEntry, timelineOf } from './timeline-view.ts';

/** Shades on which a white icon can be seen, light and dark. */
const sides: Record<TimelineEntry['side'], { label: string; color: string; icon: Icon }> = {
  attack: { label: 'Attack', color: 'red.8', icon: IconAlertTriangle },
  answer: { label: 'Holdfast', color: 'green.8', icon: IconShieldCheck },
  failure: { label: 'Holdfast failed', color: 'orange.8', icon: IconX },
  notice: { label: 'Noticed', color: 'blue.8', icon: IconEye },
  end: { label: 'End', color: 'gray.7', icon: IconFlag },
};

type TimelineProps = {
  course: IncidentCourse;
  incident: Incident;
  nameOf: (platformId: string) => string;
  /** How many joined in a raid. */
  joined?: number;
  /** Leads to the list of these acts; absent where there is no list. */
  onShowActs?: (acts: NonNullable<TimelineEntry['acts']>) => void;
};

/** What happened, from the first act on. */
export const Timeline = ({ course, incident, nameOf, joined, onShowActs }: TimelineProps) => {
  const entries = timelineOf(course, incident, nameOf, joined);
  const sinceMs = Date.parse(course.firstActAt);
  return (
    <Section title="What happened" note="Times in brackets count from the first action.">
      <MantineTimeline active={entries.length} bulletSize={28} lineWidth={2}>
        {/* Items and nothing around them: the timeline hands each of them its state. */}
        {entries.map((entry) => {
          const { label, color, icon: Glyph } = sides[entry.side];
          return (
            <MantineTimeline.Item
              key={entry.key}
              color={color}
              bullet={<Glyph size={16} aria-hidden />}
              title={
                <Text span inherit lh={1.3}>
                  <VisuallyHidden>{label}: </VisuallyHidden>
                  {entry.title}
                </Text>
              }
            >
              <EntryDetails entry={entry} sinceMs={sinceMs} onShowActs={onShowActs} />
            </MantineTimeline.Item>
          );
        })}
      </MantineTimeline>
    </Section>
  );
};

type EntryProps = {
  entry: TimelineEntry;
  sinceMs: number;
  onShowActs: TimelineProps['onShowActs'];
};

const EntryDetails = ({ entry: { at, detail, acts }, sinceMs, onShowActs }: EntryProps) => (
  <>
    {detail && (
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {detail}
      </Text>
    )}
    <Text size="xs" c="dimmed" className="holdfast-number">
      <time dateTime={at} title={formatTime(at)}>
        {clockOf(at, sinceMs)}
        {Date.parse(at) - sinceMs >= 50 && ` (+${formatMs(Date.parse(at) - sinceMs)})`}
      </time>
      {acts && onShowActs && (
        <Button variant="subtle" size="compact-xs" ml="xs" onClick={() => onShowActs(acts)}>
          Show each
        </Button>
      )}
    </Text>
  </>
);

/** The time of day with its seconds; with the date on a later day than the first act. */
const clockOf = (at: string, sinceMs: number): string => {
  const [moment, first] = [new Date(at), new Date(sinceMs)];
  const isSameDay = moment.toDateString() === first.toDateString();
  return isSameDay ? moment.toLocaleTimeString() : moment.toLocaleString();
};
