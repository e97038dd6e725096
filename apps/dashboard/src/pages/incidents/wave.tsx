import { Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconBan, IconDoorExit, IconUserCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Facts } from '../../components/display.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Section } from '../../components/page.tsx';
import { formatCount, formatTime } from '../../labels/format.ts';
import { decisionText, type WaveDecision, waveChoices } from '../../labels/waves.ts';
import { changedByIncident, waveQuery } from '../../queries/protection.ts';
import type { Incident, Wave } from '../../queries/records.ts';

/** How many came, and the one decision about those who are held. */
export const WaveDecisions = ({ incident }: { incident: Incident }) => {
  const wave = useQuery(waveQuery(incident.id));
  return (
    <Loaded query={wave} height={260}>
      {(found) => <WaveOf incident={incident} wave={found} />}
    </Loaded>
  );
};

const WaveOf = ({ incident, wave }: { incident: Incident; wave: Wave }) => {
  const { counts } = wave;
  const isUndecided = wave.decision === null && incident.endedAt === null;
  return (
    <Section
      title={isUndecided ? 'What should happen to the newcomers?' : 'What was decided'}
      note={
        wave.overAt === null
          ? 'The raid goes on: newcomers are checked more strictly, and invites are paused.'
          : `The raid is over: your own settings apply again.${isUndecided ? ' Those who are held wait for you.' : ''}`
      }
    >
      <Stack gap="md">
        <Facts
          facts={[
            { label: 'Joined', value: formatCount(wave.newcomers) },
            { label: 'Held', value: formatCount(counts.held + counts.removing) },
            { label: 'Let in', value: formatCount(counts.kept + counts.spared) },
            { label: 'Removed', value: formatCount(counts.kicked + counts.banned) },
          ]}
        />
        {isUndecided && (
          <Decisions incident={incident} held={counts.held} isOver={wave.overAt !== null} />
        )}
        {wave.decision !== null && wave.decidedAt !== null && (
          <Text size="sm" role="status">
            {decisionText(wave.decision, counts)} Decided {formatTime(wave.decidedAt)}.
          </Text>
        )}
      </Stack>
    </Section>
  );
};

const icons = {
  KEEP: IconUserCheck,
  KICK: IconDoorExit,
  BAN: IconBan,
} satisfies Record<WaveDecision, unknown>;

type DecisionsProps = { incident: Incident; held: number; isOver: boolean };

const Decisions = ({ incident, held, isOver }: DecisionsProps) => (
  <Stack gap="sm">
    <SimpleGrid
      cols={{ base: 1, sm: 3 }}
      spacing="sm"
      role="group"
      aria-label="Decide about all who are held"
    >
      {waveChoices(held, isOver).map((choice) => (
        <Paper key={choice.decision} withBorder p="md">
          <Stack gap="sm" h="100%" justify="space-between">
            <Text size="sm">{choice.consequence}</Text>
            <DecisionButton incident={incident} choice={choice} />
          </Stack>
        </Paper>
      ))}
    </SimpleGrid>
    <Text size="sm">
      Kicking and banning spare whoever has verified, is trusted or has been given a role meanwhile.
      You can decide once, about all of them together.
    </Text>
  </Stack>
);

type DecisionButtonProps = {
  incident: Incident;
  choice: ReturnType<typeof waveChoices>[number];
};

const DecisionButton = ({ incident, choice }: DecisionButtonProps) => {
  const { decision, label, title, consequence, message } = choice;
  const { id, serverId } = incident;
  const Icon = icons[decision];
  return (
    <ConfirmButton
      isDangerous
      button={{
        ...(decision === 'BAN' ? { variant: 'outline', color: 'red' } : { variant: 'default' }),
        fullWidth: true,
        ...{ children: label, leftSection: <Icon size={18} aria-hidden /> },
      }}
      {...{ title, label, message }}
      action={() => api.decideWave({ params: { id }, body: { decision } })}
      invalidates={changedByIncident(serverId, id)}
    >
      <Text size="sm">
        {consequence}{' '}
        {decision !== 'KEEP' &&
          'Whoever has verified, is trusted or has been given a role meanwhile is spared. '}
        This can be decided once.
      </Text>
    </ConfirmButton>
  );
};
