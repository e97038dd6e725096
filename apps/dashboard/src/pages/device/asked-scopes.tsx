import type { KeyScope, Scope } from '@holdfast/contract';
import { Stack } from '@mantine/core';
import { Fold } from '../../components/fold.tsx';
import { Note } from '../../components/page.tsx';
import { type AnyTier, scopeTiersOf } from '../../labels/api-keys.ts';
import { EverythingChoice, ScopeTier, tierLabels } from '../api-keys/scope-chooser.tsx';

type AskedScopesProps = {
  asked: KeyScope[];
  granted: KeyScope[];
  onChange: (granted: KeyScope[]) => void;
};

/**
 * What was asked for, of which the owner can take some away. The gravest scopes stand apart, and what cannot be undone
 * is open first.
 */
export const AskedScopes = ({ asked, granted, onChange }: AskedScopesProps) => {
  const isEverything = granted.includes('*');
  const toggle = (scope: Scope, isOn: boolean) =>
    onChange(isOn ? [...granted, scope] : granted.filter((other) => other !== scope));
  return (
    <Stack gap="md">
      {asked.includes('*') && (
        <EverythingChoice
          isChosen={isEverything}
          onChange={(isChosen) => onChange(isChosen ? ['*'] : [])}
        />
      )}
      {!isEverything &&
        scopeTiersOf(asked).map((group) => (
          <Tier key={group.tier} group={group} asked={asked} granted={granted} onToggle={toggle} />
        ))}
    </Stack>
  );
};

const shownOpen = 12;

type TierProps = {
  group: { tier: AnyTier; scopes: Scope[] };
  asked: KeyScope[];
  granted: KeyScope[];
  onToggle: (scope: Scope, isOn: boolean) => void;
};

const Tier = ({ group, asked, granted, onToggle }: TierProps) => {
  const { tier, scopes } = group;
  const choice = <ScopeTier {...group} chosen={granted} onToggle={onToggle} isNamed />;
  if (tier === 'gravest') {
    return (
      <Note tone="danger" title="It asks for what few programs need">
        {choice}
      </Note>
    );
  }
  return (
    <Fold
      label={tierSummary(tier, scopes, granted)}
      isOpenFirst={tier === 'destructive' || asked.length <= shownOpen}
    >
      {choice}
    </Fold>
  );
};

const tierSummary = (tier: AnyTier, scopes: Scope[], granted: KeyScope[]): string => {
  const count = scopes.filter((scope) => granted.includes(scope)).length;
  return `${tierLabels[tier].label}: ${count} of ${scopes.length}`;
};
