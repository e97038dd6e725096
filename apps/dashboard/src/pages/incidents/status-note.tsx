import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Moment, Name } from '../../components/display.tsx';
import { Note, TextLink } from '../../components/page.tsx';
import { invitesState } from '../../labels/incident-invites.ts';
import { type Executor, incidentState } from '../../labels/incidents.ts';
import { unstoppedTitle } from '../../labels/open-incidents.ts';
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
      <Note
        tone="danger"
        title={unstoppedTitle({
          total: course?.executors.length ?? 0,
          unstopped: unstopped.length,
        })}
      >
        <Stack gap="xs">
          <Remedies unstopped={unstopped} course={course} />
          <Text size="sm">It is tried again as soon as roles or members change.</Text>
          <Details incident={incident} course={course} />
          <NextSteps incident={incident} unstopped={unstopped} />
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
  course?.executors.filter(({ notStopped }) => notStopped !== null) ?? [];

type RemediesProps = { unstopped: Executor[]; course: IncidentCourse | undefined };

const Remedies = ({ unstopped, course }: RemediesProps) => {
  const nameOf = usePersonName(course);
  return (
    <Stack component="ul" gap={4} m={0} p={0} style={{ listStyle: 'none' }}>
      {unstopped.map(({ platformId, notStopped }) => (
        <Text key={platformId} component="li" size="sm">
          <b>
            <Name>{nameOf(platformId)}</Name>:
          </b>{' '}
          {notStopped?.detail}
        </Text>
      ))}
    </Stack>
  );
};

type NextStepsProps = { incident: Incident; unstopped: Executor[] };

/** Where to see whether the remedy helped, and how a role is moved. */
const NextSteps = ({ incident: { serverId }, unstopped }: NextStepsProps) => {
  const codes = unstopped.map(({ notStopped }) => notStopped?.code);
  return (
    <Group gap="sm">
      <Button component={Link} to={`/servers/${serverId}/protection`} size="xs" variant="default">
        Check what the bot can stop
      </Button>
      {codes.includes('ROLE_TOO_HIGH') && (
        <Button component="a" href="/guides/first-server#2-add-the-bot" size="xs" variant="default">
          How to move its role
        </Button>
      )}
      {(codes.includes('BOT_UNUSABLE') || codes.includes('OWN_TOKEN')) && (
        <Button component={Link} to="/bots" size="xs" variant="default">
          Look at the bot
        </Button>
      )}
    </Group>
  );
};

const Details = ({ incident: { status, serverId }, course }: StatusNoteProps) => (
  <>
    {status === 'contained' && course && <Invites course={course} />}
    {course?.snapshotBackupId && (
      <Text size="sm">
        <TextLink to={`/servers/${serverId}/backups/${course.snapshotBackupId}`} c="inherit">
          The backup that was made at that time
        </TextLink>
      </Text>
    )}
  </>
);

const Invites = ({ course }: { course: IncidentCourse }) => {
  const { text, at } = invitesState(course, Date.now());
  return (
    <Text size="sm">
      {text}
      {at !== undefined && (
        <>
          {' '}
          <Moment at={at} isExact />
        </>
      )}
      .
    </Text>
  );
};
