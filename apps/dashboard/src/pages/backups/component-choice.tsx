import type { BackupComponent } from '@holdfast/contract';
import { Checkbox, SimpleGrid } from '@mantine/core';
import { allComponents, componentWords } from './backup-words.ts';

type ComponentChoiceProps = {
  label: string;
  description?: string;
  /** Those there are to choose from. */
  offered: readonly BackupComponent[];
  chosen: BackupComponent[];
  onChange: (chosen: BackupComponent[]) => void;
  error?: string;
};

export const ComponentChoice = ({ offered, chosen, onChange, ...group }: ComponentChoiceProps) => (
  <Checkbox.Group
    {...group}
    value={chosen}
    onChange={(names) => onChange(allComponents.filter((name) => names.includes(name)))}
  >
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mt="xs">
      {allComponents
        .filter((name) => offered.includes(name))
        .map((name) => (
          <Checkbox
            key={name}
            value={name}
            label={componentWords[name].label}
            description={componentWords[name].explanation}
          />
        ))}
    </SimpleGrid>
  </Checkbox.Group>
);
