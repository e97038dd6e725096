import {
  Accordion,
  Badge,
  Box,
  Group,
  List,
  Paper,
  SimpleGrid,
  Text,
  ThemeIcon,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { type Icon, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { Name } from '../../components/display.tsx';
import { formatCount } from '../../labels/format.ts';
import type { RestorePlan } from '../../queries/records.ts';
import { groupPlanned, type PlanGroup } from './plan-groups.ts';

/** Groups of up to so many lines start open. */
const openedAtFirst = 8;

/** What a restore would do, by effect, type and name. */
export const PlanTree = ({ plan }: { plan: RestorePlan }) => (
  <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
    <Effect title="Created" icon={IconPlus} color="green" planned={plan.create} />
    <Effect title="Changed" icon={IconPencil} color="blue" planned={plan.update} />
    <Effect title="Deleted" icon={IconTrash} color="red" planned={plan.delete} />
  </SimpleGrid>
);

type EffectProps = { title: string; icon: Icon; color: string; planned: RestorePlan['create'] };

const Effect = ({ title, icon: Glyph, color, planned }: EffectProps) => {
  const groups = groupPlanned(planned);
  const open = groups.filter(({ lines }) => lines.length <= openedAtFirst).map(({ type }) => type);
  return (
    <Paper withBorder p="sm">
      <Group gap="xs" mb={4}>
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
        <Accordion multiple order={4} defaultValue={open} chevronPosition="left">
          {groups.map((group) => (
            <TypeGroup key={group.type} group={group} title={title} />
          ))}
        </Accordion>
      )}
    </Paper>
  );
};

const TypeGroup = ({ group, title }: { group: PlanGroup; title: string }) => (
  <Accordion.Item value={group.type}>
    <Accordion.Control px={0}>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text size="sm">
          <VisuallyHidden>{title}: </VisuallyHidden>
          {group.label}
        </Text>
        <Badge variant="default" className="holdfast-number" flex="none">
          {formatCount(group.count)}
        </Badge>
      </Group>
    </Accordion.Control>
    <Accordion.Panel>
      {/* Focusable, so that a long list can be scrolled by keyboard. */}
      <Box
        mah={320}
        style={{ overflowY: 'auto' }}
        tabIndex={0}
        role="group"
        aria-label={`${title}: ${group.label}`}
      >
        <List size="sm" spacing={2} withPadding>
          {group.lines.map(({ key, name, reason, count }) => (
            <List.Item key={key} style={{ overflowWrap: 'anywhere' }}>
              <Name>{name}</Name>
              {count > 1 && ` (${formatCount(count)} times)`}
              {reason && (
                <Text size="xs" c="dimmed">
                  {reason}
                </Text>
              )}
            </List.Item>
          ))}
        </List>
      </Box>
    </Accordion.Panel>
  </Accordion.Item>
);
