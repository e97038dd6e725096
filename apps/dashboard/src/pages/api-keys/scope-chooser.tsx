import type { KeyScope, Scope } from '@holdfast/contract';
import {
  Badge,
  Button,
  Checkbox,
  Group,
  Input,
  ScrollArea,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { IconSearch } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { Note } from '../../components/page.tsx';
import {
  type AnyTier,
  matchesScope,
  scopeLabels,
  scopesByTier,
  type Tier,
} from '../../labels/api-keys.ts';
import { plural } from '../../labels/format.ts';

type Choice = { chosen: KeyScope[]; onChange: (chosen: KeyScope[]) => void };

/** Its props are those of an input of a form. */
export const ScopeChooser = ({ value: chosen, onChange, error }: GetInputPropsReturnType) => {
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
          <ScopeToolbar chosen={chosen} onChange={onChange} search={search} onSearch={setSearch} />
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

type ScopeToolbarProps = Choice & { search: string; onSearch: (search: string) => void };

const ScopeToolbar = ({ chosen, onChange, search, onSearch }: ScopeToolbarProps) => (
  <Group gap="sm">
    <TextInput
      aria-label="Search scopes"
      placeholder="Search scopes"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={search}
      onChange={(event) => onSearch(event.currentTarget.value)}
      flex="1 1 160px"
    />
    <Button
      variant="default"
      onClick={() => onChange([...new Set([...chosen, ...scopesByTier.read])])}
    >
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
    scopes: scopesByTier[tier].filter((scope) => matchesScope(scope, search)),
  }));
  if (found.every(({ scopes }) => scopes.length === 0)) {
    return <Text c="dimmed">No scope matches.</Text>;
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

export const tierLabels: Record<AnyTier, { label: string; about: string }> = {
  read: { label: 'Read', about: 'Changes nothing.' },
  write: { label: 'Write', about: 'Adds and changes. Changes can be undone.' },
  destructive: {
    label: 'Destructive',
    about: 'Cannot be undone, or moves people and money.',
  },
  gravest: {
    label: 'Gravest',
    about: 'They reach your whole account, its money and its keys. Untick what you do not need.',
  },
  other: { label: 'Other', about: 'Opens nothing today.' },
};

type ScopeTierProps = {
  tier: AnyTier;
  scopes: Scope[];
  chosen: KeyScope[];
  onToggle: (scope: Scope, isOn: boolean) => void;
  /** Its name stands above it already. */
  isNamed?: boolean;
};

export const ScopeTier = (props: ScopeTierProps) => {
  const { tier, scopes, chosen, onToggle, isNamed = false } = props;
  const labelId = useId();
  if (scopes.length === 0) return null;
  const isDestructive = tier === 'destructive' || tier === 'gravest';
  return (
    <Stack gap="xs" role="group" aria-labelledby={labelId}>
      <Group gap="xs" id={labelId}>
        {!isNamed && <Badge color={isDestructive ? 'red' : 'gray'}>{tierLabels[tier].label}</Badge>}
        <Text size="sm" c="dimmed">
          {tierLabels[tier].about}
        </Text>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="xs">
        {scopes.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            description={scopeLabels[scope]}
            color={isDestructive ? 'red' : undefined}
            checked={chosen.includes(scope)}
            onChange={(event) => onToggle(scope, event.currentTarget.checked)}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
};

type EverythingChoiceProps = { isChosen: boolean; onChange: (isChosen: boolean) => void };

/** Apart from the scopes, so that nobody chooses it by accident. */
export const EverythingChoice = ({ isChosen, onChange }: EverythingChoiceProps) => (
  <>
    <Checkbox
      label="Everything, now and in future (*)"
      description="Every scope, the destructive ones too. Only for programs that you trust with the whole account."
      checked={isChosen}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    {isChosen && (
      <Note tone="danger" title="This key can do everything that the API offers">
        Anybody who gets hold of it can delete servers, restore backups and create further keys.
      </Note>
    )}
  </>
);
