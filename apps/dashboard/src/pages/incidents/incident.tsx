import { Button, Paper, Stack, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { Facts, Moment } from '../../components/display.tsx';
import { RecordPage } from '../../components/job-progress.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead } from '../../components/page.tsx';
import { NoteList } from '../../components/warning-list.tsx';
import { formatCount, plural } from '../../labels/format.ts';
import { formatAfter, incidentTitle } from '../../labels/incidents.ts';
import { attackersOf } from '../../labels/open-incidents.ts';
import { incidentCourseQuery, incidentQuery, waveQuery } from '../../queries/protection.ts';
import type { Incident, IncidentCourse } from '../../queries/records.ts';
import { ActList } from './act-list.tsx';
import { NotAnAttack } from './decisions.tsx';
import { Executors } from './executors.tsx';
import { NewcomerList } from './newcomer-list.tsx';
import { RepairIncident, RestoredSince, useRepair } from './repair.tsx';
import { StatusNote } from './status-note.tsx';
import { Timeline } from './timeline.tsx';
import { useActFilter } from './use-act-filter.ts';
import { useObjectName, usePersonName } from './use-names.ts';
import { WaitingDecision } from './waiting-decision.tsx';
import { WaveDecisions } from './wave.tsx';

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
      {(incident) =>
        incident.kind === 'RAID' ? <Raid incident={incident} /> : <Attack incident={incident} />
      }
    </RecordPage>
  );
};

/** What to decide comes first, who it is about last: the list may be long. */
const Raid = ({ incident }: { incident: Incident }) => {
  const course = useQuery(incidentCourseQuery(incident));
  const { data: wave } = useQuery(waveQuery(incident.id));
  const newcomers = wave && plural(wave.newcomers, 'newcomer');
  return (
    <>
      <IncidentHead
        incident={incident}
        title={newcomers ? `Raid: ${newcomers}` : incidentTitle(incident)}
      />
      <Stack gap="lg">
        <WaitingDecision incident={incident} />
        <StatusNote incident={incident} course={course.data} />
        <WaveDecisions incident={incident} />
        <Loaded query={course} height={300}>
          {(found) => (
            <Timeline incident={incident} course={found} nameOf={String} joined={wave?.newcomers} />
          )}
        </Loaded>
        <NewcomerList incidentId={incident.id} />
      </Stack>
    </>
  );
};

const Attack = ({ incident }: { incident: Incident }) => {
  const course = useQuery(incidentCourseQuery(incident));
  const repair = useRepair(incident);
  return (
    <>
      <IncidentHead
        incident={incident}
        title={incidentTitle(incident)}
        note={repair.laterRestore && <RestoredSince restore={repair.laterRestore} />}
      >
        {repair.isRepairable && incident.endedAt === null && !repair.laterRestore && (
          <Button
            leftSection={<IconTool size={18} aria-hidden />}
            onClick={repair.showPlan}
            loading={repair.preview.isPending}
          >
            Repair the damage
          </Button>
        )}
      </IncidentHead>
      <Stack gap="lg">
        <WaitingDecision incident={incident} />
        <StatusNote incident={incident} course={course.data} />
        <Loaded query={course} height={600}>
          {(found) => (
            <AttackCourse incident={incident} course={found}>
              <AttackFacts incident={incident} />
              <RepairIncident incident={incident} repair={repair} />
              <NoteList title="Not brought back by a repair" notes={found.notBroughtBack} />
            </AttackCourse>
          )}
        </Loaded>
      </Stack>
    </>
  );
};

type IncidentHeadProps = {
  incident: Incident;
  title: string;
  note?: ReactNode;
  children?: ReactNode;
};

const IncidentHead = ({ incident, title, note, children }: IncidentHeadProps) => (
  <PageHead
    title={title}
    description={
      <>
        <Moment at={incident.createdAt} isExact />
        {note}
      </>
    }
    actions={children}
  />
);

const AttackFacts = ({ incident }: { incident: Incident }) => {
  const { acts, objectsLost, detectedAfterMs, containedAfterMs } = incident;
  return (
    <Paper withBorder p="md">
      <Facts
        facts={[
          { label: 'Actions', value: formatCount(acts.total) },
          { label: 'Objects lost', value: formatCount(objectsLost) },
          { label: 'Noticed after', value: formatAfter(detectedAfterMs) },
          {
            label: 'Contained after',
            value:
              attackersOf(incident).unstopped > 0 ? (
                <Text span inherit c="var(--mantine-color-error)">
                  not contained
                </Text>
              ) : (
                formatAfter(containedAfterMs)
              ),
          },
        ]}
      />
    </Paper>
  );
};

type AttackCourseProps = {
  incident: Incident;
  course: IncidentCourse;
  /** Before what happened. */
  children: ReactNode;
};

const AttackCourse = ({ incident, course, children }: AttackCourseProps) => {
  const { filter, setFilter, list } = useActFilter();
  const personName = usePersonName(course);
  const objectName = useObjectName();
  return (
    <>
      {children}
      <Timeline
        {...{ course, incident }}
        nameOf={personName}
        onShowActs={(acts) => {
          setFilter(acts);
          list.current?.scrollIntoView({ block: 'start' });
        }}
      />
      {course.executors.length > 0 && (
        <Executors course={course} roleName={objectName} isRemedySaid={incident.endedAt === null} />
      )}
      <NotAnAttack incident={incident} course={course} />
      {course.groups.length > 0 && (
        <div ref={list}>
          <ActList
            incidentId={incident.id}
            {...{ course, filter, setFilter, personName, objectName }}
          />
        </div>
      )}
    </>
  );
};
