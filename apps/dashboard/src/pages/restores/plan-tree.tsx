import {
  Accordion,
  Badge,
  Button,
  Group,
  List,
  Paper,
  Stack,
  Text,
  ThemeIcon,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { type Icon, IconMinus, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Name } from '../../components/display.tsx';
import type { NameOf } from '../../labels/changes.ts';
import { formatCount } from '../../labels/format.ts';
import type { RestorePlan } from '../../queries/records.ts';
import { ChangeList } from './change-list.tsx';
import { groupPlanned, linesOf, type PlanGroup, plannedName } from './plan-groups.ts';
import classes from './plan-tree.module.css';

/** Groups of up to so many entries start open. */
const openedAtFirst = 8;
/** Of a longer group so many are shown until the reader asks for all. */
const shownAtFirst = 30;

type Planned = RestorePlan['create'][number];
type Updated = RestorePlan['update'][number];

type Titles = { create: string; update: string; delete: string };
const titlesOfPlan: Titles = { create: 'Created', update: 'Changed', delete: 'Deleted' };

type PlanTreeProps = {
  plan: RestorePlan;
  nameOf?: NameOf;
  /** For a comparison, where nothing is done. */
  titles?: Titles;
};

/** What a plan comes to, by effect, type and name; changes field by field. */
export const PlanTree = ({ plan, nameOf, titles = titlesOfPlan }: PlanTreeProps) => {
  const isPlan = titles === titlesOfPlan;
  return (
    <div className={classes.effects}>
      <Effect
        {...{ title: titles.create, icon: IconPlus, color: 'green', planned: plan.create }}
        show={showNames}
      />
      <Effect
        {...{ title: titles.update, icon: IconPencil, color: 'blue', planned: plan.update }}
        show={showChanges(nameOf)}
      />
      <Effect
        {...{ title: titles.delete, planned: plan.delete }}
        icon={isPlan ? IconTrash : IconMinus}
        color={isPlan ? 'red' : 'orange'}
        show={showNames}
      />
    </div>
  );
};

/** The lines of a group. */
type Show<Thing> = (things: Thing[]) => ReactNode[];

const showNames: Show<Planned> = (things) =>
  linesOf(things).map(({ key, name, reason, count }) => (
    <List.Item key={key} style={{ overflowWrap: 'anywhere' }}>
      <Name>{name}</Name>
      {count > 1 && ` (${formatCount(count)} times)`}
      {reason && (
        <Text size="xs" c="dimmed">
          {reason}
        </Text>
      )}
    </List.Item>
  ));

/** Of these a server has one: the heading of the group names it. */
const areAlone = ['settings', 'onboarding', 'welcomeScreen'];

const showChanges =
  (nameOf?: NameOf): Show<Updated> =>
  (things) =>
    things.map(({ type, name, changes }, index) => (
      // Two objects of one type can have one name.
      // biome-ignore lint/suspicious/noArrayIndexKey: a plan does not change while it is shown
      <li key={index} className={classes.changed}>
        {!areAlone.includes(type) && name !== type && (
          <Text size="sm" fw={600} mb={2} style={{ overflowWrap: 'anywhere' }}>
            <Name>{plannedName({ type, name })}</Name>
          </Text>
        )}
        <ChangeList changes={changes} nameOf={nameOf} />
      </li>
    ));

type EffectProps<Thing> = {
  title: string;
  icon: Icon;
  color: string;
  planned: Thing[];
  show: Show<Thing>;
};

const Effect = <Thing extends Planned>(props: EffectProps<Thing>) => {
  const { title, icon: Glyph, color, planned, show } = props;
  const groups = groupPlanned(planned);
  const open = groups.filter(({ things }) => things.length <= openedAtFirst);
  return (
    <Paper withBorder p="sm" miw={0}>
      <Group gap="xs" mb={4} wrap="nowrap">
        <ThemeIcon variant="light" color={color} aria-hidden>
          <Glyph size={18} />
        </ThemeIcon>
        <Title order={3} size="h5">
          {title}
        </Title>
        <Text className="holdfast-number" ml="auto" fw={600}>
          {formatCount(planned.length)}
        </Text>
      </Group>
      {groups.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing
        </Text>
      ) : (
        <Accordion
          multiple
          order={4}
          defaultValue={open.map(({ type }) => type)}
          chevronPosition="left"
        >
          {groups.map((group) => (
            <TypeGroup key={group.type} group={group} title={title} show={show} />
          ))}
        </Accordion>
      )}
    </Paper>
  );
};

type TypeGroupProps<Thing> = { group: PlanGroup<Thing>; title: string; show: Show<Thing> };

const TypeGroup = <Thing,>({ group, title, show }: TypeGroupProps<Thing>) => {
  const [isWhole, setIsWhole] = useState(false);
  const lines = show(group.things);
  return (
    <Accordion.Item value={group.type}>
      <Accordion.Control px={0}>
        <Group gap="xs" justify="space-between" wrap="nowrap">
          <Text size="sm">
            <VisuallyHidden>{title}: </VisuallyHidden>
            {group.label}
          </Text>
          <Badge variant="default" className="holdfast-number" flex="none">
            {formatCount(group.things.length)}
          </Badge>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="xs" align="flex-start">
          <List size="sm" spacing={2} withPadding w="100%">
            {isWhole ? lines : lines.slice(0, shownAtFirst)}
          </List>
          {!isWhole && lines.length > shownAtFirst && (
            <Button variant="subtle" size="compact-sm" onClick={() => setIsWhole(true)}>
              Show all {formatCount(lines.length)}
            </Button>
          )}
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
};
