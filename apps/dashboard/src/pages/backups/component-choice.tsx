import type { BackupComponent } from '@holdfast/contract';
import { Button, Checkbox, Group, Input, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { allComponents, componentLabels, countOf } from '../../labels/backups.ts';
import { formatCount, formatRatio, plural } from '../../labels/format.ts';
import type { BackupRecord } from '../../queries/records.ts';

type ComponentChoiceProps = {
  label: string;
  description?: string;
  /** The components to choose from. */
  offered: readonly BackupComponent[];
  chosen: BackupComponent[];
  onChange: (chosen: BackupComponent[]) => void;
  error?: ReactNode;
  /** What a component means here. */
  explain?: (name: BackupComponent) => string;
  /** How much of each there is. */
  counts?: BackupRecord['counts'];
  /** One line until the reader asks for the choice. */
  isFolded?: boolean;
};

const explainComponent = (name: BackupComponent): string => componentLabels[name].explanation;

export const ComponentChoice = ({ isFolded = false, ...choice }: ComponentChoiceProps) => {
  const [isOpen, { open }] = useDisclosure(!isFolded);
  if (isOpen) return <OpenChoice {...choice} />;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {choice.label}
      </Text>
      <Group gap="sm">
        <Text size="sm">{summaryOf(choice)}</Text>
        <Button variant="default" size="xs" onClick={open}>
          Choose
        </Button>
      </Group>
      {choice.error && <Input.Error>{choice.error}</Input.Error>}
    </Stack>
  );
};

/** Few that are left out are named. */
const summaryOf = ({ offered, chosen }: ComponentChoiceProps): string => {
  const missing = allComponents.filter((name) => offered.includes(name) && !chosen.includes(name));
  if (missing.length === 0) return `Everything: ${plural(offered.length, 'kind')}`;
  const ratio = formatRatio(chosen.length, offered.length);
  if (missing.length > 3) return ratio;
  return `${ratio}: without ${missing.map((name) => componentLabels[name].label.toLowerCase()).join(', ')}`;
};

const OpenChoice = ({
  offered,
  chosen,
  onChange,
  counts,
  explain = explainComponent,
  ...group
}: Omit<ComponentChoiceProps, 'isFolded'>) => (
  <Checkbox.Group
    {...group}
    value={chosen}
    onChange={(names) => onChange(allComponents.filter((name) => names.includes(name)))}
  >
    <Group gap="xs" mt={4}>
      <Button variant="default" size="compact-sm" onClick={() => onChange([...offered])}>
        All
      </Button>
      <Button variant="default" size="compact-sm" onClick={() => onChange([])}>
        None
      </Button>
    </Group>
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mt="xs">
      {allComponents
        .filter((name) => offered.includes(name))
        .map((name) => (
          <Checkbox
            key={name}
            value={name}
            label={labelOf(name, counts)}
            description={explain(name)}
          />
        ))}
    </SimpleGrid>
  </Checkbox.Group>
);

const labelOf = (name: BackupComponent, counts: BackupRecord['counts'] | undefined): string => {
  const { label } = componentLabels[name];
  const count = counts && countOf(counts, name);
  return count === undefined ? label : `${label} (${formatCount(count)})`;
};
