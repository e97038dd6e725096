import type { KeyScope, Scope } from '@holdfast/contract';
import { Badge, Checkbox, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useId } from 'react';
import { isUseful, scopeWords, type Tier } from './scope-words.ts';

const tierWords: Record<Tier, { label: string; about: string }> = {
  read: { label: 'Read', about: 'Looks, changes nothing.' },
  write: { label: 'Write', about: 'Adds and changes. What it changes can be changed back.' },
  destructive: {
    label: 'Destructive',
    about: 'Cannot be taken back, or moves people and money.',
  },
};

type ScopeTierProps = {
  tier: Tier;
  scopes: Scope[];
  chosen: KeyScope[];
  onToggle: (scope: Scope, isOn: boolean) => void;
};

export const ScopeTier = ({ tier, scopes, chosen, onToggle }: ScopeTierProps) => {
  const labelId = useId();
  if (scopes.length === 0) return null;
  const isDestructive = tier === 'destructive';
  return (
    <Stack gap="xs" role="group" aria-labelledby={labelId}>
      <Group gap="xs" id={labelId}>
        <Badge variant="light" color={isDestructive ? 'red' : 'gray'} tt="none">
          {tierWords[tier].label}
        </Badge>
        <Text size="sm" c="dimmed">
          {tierWords[tier].about}
        </Text>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="xs">
        {scopes.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            description={scopeWords[scope]}
            color={isDestructive ? 'red' : undefined}
            checked={chosen.includes(scope)}
            onChange={(event) => onToggle(scope, event.currentTarget.checked)}
            styles={isUseful(scope) ? {} : { label: { color: 'var(--mantine-color-dimmed)' } }}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
};
