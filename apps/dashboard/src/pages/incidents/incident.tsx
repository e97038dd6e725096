import { Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useParams } from 'react-router';
import { Facts, Moment } from '../../components/display.tsx';
import { RecordPage } from '../../components/job-progress.tsx';
import { Loaded, useSearchParameter } from '../../components/list.tsx';
import { Note, PageHead, TextLink } from '../../components/page.tsx';
import { NoteList } from '../../components/warning-list.tsx';
import { formatCount } from '../../labels/format.ts';
import { formatAfter, incidentState, incidentTitle } from '../../labels/incidents.ts';
import { type ActFilter, incidentCourseQuery, incidentQuery } from '../../queries/protection.ts';
import type { Incident, IncidentCourse } from '../../queries/records.ts';
import { ActList } from './act-list.tsx';
import { DismissIncident, ReturnRoles } from './decisions.tsx';
import { Executors } from './executors.tsx';
import { RepairIncident } from './repair.tsx';
import { Timeline } from './timeline.tsx';
import { useObjectName, usePersonName } from './use-names.ts';
import { WaveReview } from './wave.tsx';

export const IncidentPage = () => {
  const { incidentId = '' } = useParams();
  const query = useQuery(incidentQuery(incidentId));
  return (
    <RecordPage
      query={query}
      title="Incident"
      list={{ path: 'incidents', label: 'All incidents' }}
      path="incidents"
    >
      {(incident) => <IncidentOf incident={incident} />}
    </RecordPage>
  );
};

const IncidentOf = ({ incident }: { incident: Incident }) => {
  const course = useQuery(incidentCourseQuery(incident));
  return (
    <>
      <PageHead
        title={incidentTitle(incident)}
        description={<Moment at={incident.createdAt} isExact />}
        actions={
          course.data && (
            <>
              <ReturnRoles incident={incident} course={course.data} />
              <DismissIncident incident={incident} />
            </>
          )
        }
      />
      <Stack gap="lg">
        <StatusNote incident={incident} course={course.data} />
        <IncidentFacts incident={incident} />
        <RepairIncident incident={incident} />
        {course.data && (
          <NoteList title="Not brought back by a repair" notes={course.data.notBroughtBack} />
        )}
        <WaveReview incident={incident} />
        <Loaded query={course} height={400}>
          {(found) => <Course incident={incident} course={found} />}
        </Loaded>
      </Stack>
    </>
  );
};

const tones = {
  open: 'danger',
  contained: 'warning',
  repaired: 'success',
  dismissed: 'info',
} as const;

type StatusNoteProps = { incident: Incident; course: IncidentCourse | undefined };

const StatusNote = ({ incident, course }: StatusNoteProps) => {
  const { status, serverId } = incident;
  const { title, message } = incidentState(incident);
  const unstopped = course?.executors.filter((one) => one.status === 'unstoppable') ?? [];
  return (
    <Note tone={tones[status]} title={title}>
      <Stack gap={4}>
        <Text size="sm">{message}</Text>
        {unstopped.length > 0 && (
          <Text size="sm" fw={600}>
            Not everybody could be stopped: what you can do is said below.
          </Text>
        )}
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
      </Stack>
    </Note>
  );
};

const IncidentFacts = ({ incident }: { incident: Incident }) => {
  const { kind, acts, objectsLost, detectedAfterMs, containedAfterMs } = incident;
  return (
    <Paper withBorder p="md">
      <Facts
        facts={[
          ...(kind === 'NUKE'
            ? [
                { label: 'Acts', value: formatCount(acts.total) },
                { label: 'Objects lost', value: formatCount(objectsLost) },
              ]
            : []),
          { label: 'Noticed after', value: formatAfter(detectedAfterMs) },
          { label: 'Contained after', value: formatAfter(containedAfterMs) },
        ]}
      />
    </Paper>
  );
};

type CourseProps = { incident: Incident; course: IncidentCourse };

const Course = ({ incident, course }: CourseProps) => {
  const [search, setSearch] = useSearchParameter();
  const list = useRef<HTMLDivElement>(null);
  const personName = usePersonName(course);
  const objectName = useObjectName();
  const filter: ActFilter = {
    ...(search.get('by') && { executorId: search.get('by') ?? '' }),
    ...(search.get('act') && { action: search.get('act') ?? '' }),
  };
  const onFilter = (name: keyof ActFilter, value: string | null) =>
    setSearch(name === 'executorId' ? 'by' : 'act', value);
  return (
    <>
      {course.executors.length > 0 && <Executors course={course} roleName={objectName} />}
      <Timeline
        course={course}
        incident={incident}
        nameOf={personName}
        onShowActs={({ executorId, action }) => {
          onFilter('executorId', executorId);
          onFilter('action', action);
          list.current?.scrollIntoView({ block: 'start' });
        }}
      />
      {course.groups.length > 0 && (
        <div ref={list}>
          <ActList
            incidentId={incident.id}
            {...{ course, filter, onFilter, personName, objectName }}
          />
        </div>
      )}
    </>
  );
};
