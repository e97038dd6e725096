import type { KeyScope, Scope } from '@holdfast/contract';
import { Button, Group, Input, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { plural } from '../../parts/words.ts';
import { EverythingChoice } from './everything-choice.tsx';
import { ScopeTier } from './scope-tier.tsx';
import { isScopeFound, isUseful, scopesByTier, type Tier } from './scope-words.ts';

type Choice = { chosen: KeyScope[]; onChange: (chosen: KeyScope[]) => void };

export const ScopeChooser = ({ chosen, onChange, error }: Choice & { error?: string }) => {
  const [search, setSearch] = useState('');
  const isEverything = chosen.includes('*');
  return (
    <Stack gap="sm" role="group" aria-labelledby="scopes-label">
      <Group justify="space-between">
        <Text id="scopes-label" size="sm" fw={500}>
          What it may do
        </Text>
        <Text size="sm" c="dimmed" aria-live="polite">
          {isEverything ? 'Everything' : `${plural(chosen.length, 'scope')} chosen`}
        </Text>
      </Group>
      {!isEverything && (
        <>
          <ScopeTools chosen={chosen} onChange={onChange} search={search} onSearch={setSearch} />
          <ScopeTiers chosen={chosen} onChange={onChange} search={search} />
        </>
      )}
      <EverythingChoice
        isChosen={isEverything}
        onChange={(isChosen) => onChange(isChosen ? ['*'] : [])}
      />
      {error && <Input.Error>{error}</Input.Error>}
    </Stack>
  );
};

const usefulReads = scopesByTier.read.filter(isUseful);

type ScopeToolsProps = Choice & { search: string; onSearch: (search: string) => void };

const ScopeTools = ({ chosen, onChange, search, onSearch }: ScopeToolsProps) => (
  <Group gap="sm">
    <TextInput
      aria-label="Search scopes"
      placeholder="Search scopes"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={search}
      onChange={(event) => onSearch(event.currentTarget.value)}
      flex="1 1 160px"
    />
    <Button variant="default" onClick={() => onChange([...new Set([...chosen, ...usefulReads])])}>
      Select all read
    </Button>
    <Button variant="subtle" disabled={chosen.length === 0} onClick={() => onChange([])}>
      Clear
    </Button>
  </Group>
);

const tiers: Tier[] = ['read', 'write', 'destructive'];

const ScopeTiers = ({ chosen, onChange, search }: Choice & { search: string }) => {
  const toggle = (scope: Scope, isOn: boolean) =>
    onChange(isOn ? [...chosen, scope] : chosen.filter((other) => other !== scope));
  const found = tiers.map((tier) => ({
    tier,
    scopes: scopesByTier[tier].filter((scope) => isScopeFound(scope, search)),
  }));
  if (found.every(({ scopes }) => scopes.length === 0)) {
    return <Text c="dimmed">No scope has this in its name.</Text>;
  }
  return (
    <ScrollArea.Autosize mah={320} type="auto" offsetScrollbars>
      <Stack gap="lg">
        {found.map(({ tier, scopes }) => (
          <ScopeTier key={tier} tier={tier} scopes={scopes} chosen={chosen} onToggle={toggle} />
        ))}
      </Stack>
    </ScrollArea.Autosize>
  );
};
