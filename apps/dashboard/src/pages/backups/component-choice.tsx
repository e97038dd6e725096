import type { BackupComponent } from '@holdfast/contract';
import { Checkbox, SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { allComponents, componentLabels } from '../../labels/backups.ts';

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
};

const explainComponent = (name: BackupComponent): string => componentLabels[name].explanation;

export const ComponentChoice = ({
  offered,
  chosen,
  onChange,
  explain = explainComponent,
  ...group
}: ComponentChoiceProps) => (
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
            label={componentLabels[name].label}
            description={explain(name)}
          />
        ))}
    </SimpleGrid>
  </Checkbox.Group>
);
