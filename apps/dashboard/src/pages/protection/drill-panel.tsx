import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Moment } from '../../components/display.tsx';
import { LastDrill, StartDrill } from '../../components/fire-drill.tsx';
import { Fold } from '../../components/fold.tsx';
import { type Column, RecordTable } from '../../components/list.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Section } from '../../components/page.tsx';
import { drillResult } from '../../labels/drills.ts';
import { formatAfter } from '../../labels/incidents.ts';
import { isRunning } from '../../labels/status.ts';
import { drillsQuery } from '../../queries/drills.ts';
import type { Drill } from '../../queries/records.ts';

/** Rehearses an attack, and shows how the last rehearsals went. */
export const DrillPanel = ({ serverId }: { serverId: string }) => {
  const query = useQuery(drillsQuery(serverId));
  return (
    <Section
      title="Fire drill"
      note="“Test protection” asks what the bot may do. A fire drill attacks a copy of the server, and measures how soon that would be stopped and what would be lost. The server itself is not touched; it happens once a month by itself."
    >
      <Loaded query={query} height={120}>
        {({ isEnabled, drills }) => (
          <Stack gap="md">
            <LastDrill drill={drills[0]} />
            {isEnabled && <StartDrill serverId={serverId} last={drills[0]} />}
            <Earlier drills={drills.slice(1).filter((drill) => !isRunning(drill))} />
            <HowItWorks />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
};

const HowItWorks = () => (
  <Fold label="How it works">
    <Text size="sm" c="dimmed" pt="xs">
      The copy is made from the last good backup. In it an attacker deletes channels and roles at
      the same time, as fast as the platform’s limits of five calls in five seconds allow. Every
      call takes 40 ms there and back, about as it does to the real platform: the next deletions are
      on their way while the first ones are judged, so a few objects of each kind are lost before
      the stop. The settings above decide when it is stopped. Nobody is told, and no incident is
      opened.
    </Text>
  </Fold>
);

const Earlier = ({ drills }: { drills: Drill[] }) =>
  drills.length > 0 && (
    <RecordTable caption="Earlier fire drills, newest first" columns={columns} rows={drills} />
  );

const columns: Column<Drill>[] = [
  { header: 'Earlier', cell: ({ createdAt }) => <Moment at={createdAt} isExact /> },
  { header: 'Result', cell: drillResult },
  { header: 'Lost', cell: ({ figures }) => figures?.objectsLost ?? '–', isNumber: true },
  {
    header: 'Stopped after',
    cell: ({ figures }) => formatAfter(figures?.stoppedAfterMs ?? null),
    isNumber: true,
  },
  {
    header: 'Repaired after',
    cell: ({ figures }) => formatAfter(figures?.repairedAfterMs ?? null),
    isNumber: true,
  },
];
