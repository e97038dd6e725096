import { Stack, Text } from '@mantine/core';
import { Moment, Name } from '../../components/display.tsx';
import { Note, TextLink } from '../../components/page.tsx';
import { endSentence, plural } from '../../labels/format.ts';
import { type Executor, executorCodeText, incidentState } from '../../labels/incidents.ts';
import type { Incident, IncidentCourse } from '../../queries/records.ts';
import { usePersonName } from './use-names.ts';

const tones = {
  open: 'danger',
  contained: 'warning',
  repaired: 'success',
  dismissed: 'info',
} as const;

type StatusNoteProps = { incident: Incident; course: IncidentCourse | undefined };

/** How it stands. Whoever was not stopped and could go on is what matters most. */
export const StatusNote = ({ incident, course }: StatusNoteProps) => {
  const { status, endedAt } = incident;
  const unstopped = endedAt === null ? unstoppedIn(course) : [];
  const { title, message } = incidentState(incident);
  if (unstopped.length > 0) {
    return (
      <Note tone="danger" title={unstoppedTitle(unstopped.length)}>
        <Stack gap="xs">
          <Remedies unstopped={unstopped} course={course} />
          <Details incident={incident} course={course} />
        </Stack>
      </Note>
    );
  }
  return (
    <Note tone={tones[status]} title={title}>
      <Stack gap={4}>
        <Text size="sm">{message}</Text>
        <Details incident={incident} course={course} />
      </Stack>
    </Note>
  );
};

const unstoppedIn = (course: IncidentCourse | undefined): Executor[] =>
  course?.executors.filter(({ status }) => status === 'unstoppable') ?? [];

const unstoppedTitle = (count: number): string =>
  count === 1
    ? 'One attacker could not be stopped'
    : `${plural(count, 'attacker')} could not be stopped`;

type RemediesProps = { unstopped: Executor[]; course: IncidentCourse | undefined };

const Remedies = ({ unstopped, course }: RemediesProps) => {
  const nameOf = usePersonName(course);
  return (
    <Stack component="ul" gap={4} m={0} p={0} style={{ listStyle: 'none' }}>
      {unstopped.map(({ platformId, code }) => {
        const { why, remedy } = executorCodeText(code ?? 'BOT_UNUSABLE');
        return (
          <Text key={platformId} component="li" size="sm">
            <b>
              <Name>{nameOf(platformId)}</Name>:
            </b>{' '}
            {endSentence(why)} {remedy}
          </Text>
        );
      })}
    </Stack>
  );
};

const Details = ({ incident: { status, serverId }, course }: StatusNoteProps) => (
  <>
    {status === 'contained' && course && course.invitesPausedUntil !== null && (
      <Text size="sm">
        Invites are paused until <Moment at={course.invitesPausedUntil} isExact />.
      </Text>
    )}
    {course?.snapshotBackupId && (
      <Text size="sm">
        <TextLink to={`/servers/${serverId}/backups/${course.snapshotBackupId}`} c="inherit">
          The backup that was made at that time
        </TextLink>
      </Text>
    )}
  </>
);
