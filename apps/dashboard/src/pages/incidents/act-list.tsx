import { Button, Collapse, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Name } from '../../components/display.tsx';
import { LoadedList, PageTurner, usePageNumber } from '../../components/list.tsx';
import { Section } from '../../components/page.tsx';
import { formatTime, plural } from '../../labels/format.ts';
import { actChoice, actLabel, isAboutPerson } from '../../labels/incident-acts.ts';
import { type ActFilter, incidentActsQuery } from '../../queries/protection.ts';
import type { IncidentAct, IncidentCourse } from '../../queries/records.ts';
import { ChangeList } from '../restores/change-list.tsx';
import classes from './act-list.module.css';

type NameOf = (platformId: string) => string | undefined;

type ActListProps = {
  incidentId: string;
  course: IncidentCourse;
  filter: ActFilter;
  setFilter: (filter: ActFilter) => void;
  personName: (platformId: string) => string;
  objectName: NameOf;
};

const fewActs = 5;

/** Every act with its before and after: the first few, then all of them in pages. */
export const ActList = (props: ActListProps) => {
  const { incidentId, course, filter, setFilter, personName, objectName } = props;
  const page = usePageNumber();
  const acts = useQuery(incidentActsQuery(incidentId, filter, page));
  const [isWhole, whole] = useDisclosure();
  const isShort = !isWhole && page === 1 && Object.keys(filter).length === 0;
  const actions = [...new Set(course.groups.map(({ action }) => action))];
  return (
    <Section title="Every action" note={plural(totalOf(course), 'action')}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2 }} role="search" aria-label="Filter the actions">
          <Select
            label="By"
            placeholder="Anybody"
            data={course.executors.map(({ platformId }) => ({
              value: platformId,
              label: personName(platformId),
            }))}
            value={filter.executorId ?? null}
            onChange={(executorId) => setFilter({ ...filter, executorId: executorId ?? '' })}
            clearable
            clearButtonProps={{ 'aria-label': 'By anybody' }}
          />
          <Select
            label="What"
            placeholder="Anything"
            data={actions.map((action) => ({ value: action, label: actChoice(action) }))}
            value={filter.action ?? null}
            onChange={(action) => setFilter({ ...filter, action: action ?? '' })}
            clearable
            clearButtonProps={{ 'aria-label': 'Any action' }}
          />
        </SimpleGrid>
        <LoadedList query={acts} height={240} empty={<Text c="dimmed">No such action.</Text>}>
          {({ data, pagination }) => (
            <div>
              <ol className={classes.acts} aria-label="Actions, the first first">
                {data.slice(0, isShort ? fewActs : undefined).map((act) => (
                  <Act key={act.id} act={act} personName={personName} objectName={objectName} />
                ))}
              </ol>
              {isShort && pagination.total > fewActs ? (
                <Button variant="default" size="xs" mt="sm" onClick={whole.open}>
                  Show all {plural(pagination.total, 'action')}
                </Button>
              ) : (
                <PageTurner pagination={pagination} />
              )}
            </div>
          )}
        </LoadedList>
      </Stack>
    </Section>
  );
};

const totalOf = ({ groups }: IncidentCourse): number =>
  groups.reduce((sum, { count }) => sum + count, 0);

type ActProps = Pick<ActListProps, 'personName' | 'objectName'> & { act: IncidentAct };

const Act = ({ act, personName, objectName }: ActProps) => {
  const [isOpen, { toggle }] = useDisclosure();
  const detailsId = useId();
  const Glyph = isOpen ? IconChevronDown : IconChevronRight;
  const object = act.name ?? nameOfTarget(act, objectName);
  return (
    <li className={classes.act}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <div>
          <Text size="sm" fw={500}>
            {actLabel(act.action)} {object !== undefined && <Name>{object}</Name>}
          </Text>
          <Text size="xs" c="dimmed" className="holdfast-number">
            <Name>{personName(act.executorId)}</Name>,{' '}
            <time dateTime={act.at} title={formatTime(act.at)}>
              {new Date(act.at).toLocaleTimeString()}
            </time>
          </Text>
        </div>
        {act.changes.length > 0 && (
          <Button
            variant="subtle"
            size="compact-sm"
            flex="none"
            onClick={toggle}
            aria-label="Before and after"
            aria-expanded={isOpen}
            aria-controls={detailsId}
          >
            <Glyph size={16} aria-hidden />
            <span className={classes.toggleText}>Before and after</span>
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen} id={detailsId}>
        {isOpen && (
          <div className={classes.changes}>
            <ChangeList changes={act.changes} nameOf={objectName} />
          </div>
        )}
      </Collapse>
    </li>
  );
};

const nameOfTarget = (act: IncidentAct, objectName: NameOf): string | undefined => {
  if (act.targetId === null || act.action === 'guildChanged') return undefined;
  return isAboutPerson(act.action) ? act.targetId : (objectName(act.targetId) ?? act.targetId);
};
