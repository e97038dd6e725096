import type { KeyScope, Scope } from '@holdfast/contract';
import { Stack } from '@mantine/core';
import { Fold } from '../../components/fold.tsx';
import { type AnyTier, scopeTiersOf } from '../../labels/api-keys.ts';
import { EverythingChoice, ScopeTier, tierLabels } from '../api-keys/scope-chooser.tsx';

type AskedScopesProps = {
  asked: KeyScope[];
  granted: KeyScope[];
  onChange: (granted: KeyScope[]) => void;
};

/** What was asked for, of which the owner can take some away. What cannot be undone is open first. */
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
        scopeTiersOf(asked).map(({ tier, scopes }) => (
          <Fold
            key={tier}
            label={tierSummary(tier, scopes, granted)}
            isOpenFirst={tier === 'destructive' || asked.length <= shownOpen}
          >
            <ScopeTier tier={tier} scopes={scopes} chosen={granted} onToggle={toggle} isNamed />
          </Fold>
        ))}
    </Stack>
  );
};

const shownOpen = 12;

const tierSummary = (tier: AnyTier, scopes: Scope[], granted: KeyScope[]): string => {
  const count = scopes.filter((scope) => granted.includes(scope)).length;
  return `${tierLabels[tier].label}: ${count} of ${scopes.length}`;
};
