import { Badge, Group, Paper, Stack, Text } from '@mantine/core';
import { Moment, Name } from '../../components/display.tsx';
import { Section } from '../../components/page.tsx';
import { plural } from '../../labels/format.ts';
import {
  type Executor,
  executorName,
  formatMs,
  returnText,
  stopCodeText,
} from '../../labels/incidents.ts';
import type { IncidentCourse } from '../../queries/records.ts';

type NameOf = (platformId: string) => string | undefined;
type ExecutorsProps = {
  course: IncidentCourse;
  roleName: NameOf;
  /** What to do about who was not stopped stands above them. */
  isRemedySaid: boolean;
};

/** Who did it, and what was taken from them. */
export const Executors = (props: ExecutorsProps) => {
  const { executors } = props.course;
  return (
    <Section title={executors.length === 1 ? 'Who did it' : 'Who did it together'}>
      <Stack gap="sm">
        {executors.map((executor) => (
          <Paper key={executor.platformId} withBorder p="md">
            <ExecutorCard executor={executor} {...props} />
          </Paper>
        ))}
      </Stack>
    </Section>
  );
};

type ExecutorCardProps = ExecutorsProps & { executor: Executor };

const ExecutorCard = ({ executor, course, roleName, isRemedySaid }: ExecutorCardProps) => {
  const { platformId, isBot, username } = executor;
  const acts = course.groups
    .filter(({ executorId }) => executorId === platformId)
    .reduce((sum, { count }) => sum + count, 0);
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <Text fw={600}>
            <Name>{executorName(executor)}</Name>
          </Text>
          {isBot && <Badge color="gray">bot</Badge>}
          <StopBadge executor={executor} />
        </Group>
        <Text size="sm" c="dimmed" className="holdfast-number">
          {plural(acts, 'action')}
        </Text>
      </Group>
      {username && (
        <Text size="xs" c="dimmed">
          ID {platformId}
        </Text>
      )}
      <Stopped since={course.firstActAt} {...{ executor, roleName, isRemedySaid }} />
    </Stack>
  );
};

const StopBadge = ({ executor: { status } }: { executor: Executor }) => {
  if (status === 'stopped') return <Badge color="green">stopped</Badge>;
  if (status === 'unstoppable') return <Badge color="red">not stopped</Badge>;
  return <Badge color="blue">being stopped</Badge>;
};

type StoppedProps = Pick<ExecutorCardProps, 'executor' | 'roleName' | 'isRemedySaid'> & {
  since: string;
};

const Stopped = ({ executor, since, roleName, isRemedySaid }: StoppedProps) => {
  const { isBot, notStopped, stoppedAt, rolesTaken, returnStatus, returnedAt } = executor;
  const returned = returnText(returnStatus);
  return (
    <>
      {stoppedAt !== null && (
        <Text size="sm">
          {isBot && rolesTaken.length === 0 ? 'Removed from the server' : 'Stopped'}{' '}
          {formatMs(Math.max(0, Date.parse(stoppedAt) - Date.parse(since)))} after the first action.
        </Text>
      )}
      {rolesTaken.length > 0 && (
        <Group gap={6}>
          <Text size="sm">Roles taken:</Text>
          {rolesTaken.map((id) => (
            <Badge key={id} color="gray">
              <Name>{roleName(id) ?? id}</Name>
            </Badge>
          ))}
        </Group>
      )}
      {returned && (
        <Text size="sm">
          {returned}
          {returnedAt !== null && (
            <>
              {' '}
              <Moment at={returnedAt} />
            </>
          )}
          .
        </Text>
      )}
      {notStopped && (
        <Text size="sm">{isRemedySaid ? stopCodeText(notStopped.code) : notStopped.detail}</Text>
      )}
    </>
  );
};
