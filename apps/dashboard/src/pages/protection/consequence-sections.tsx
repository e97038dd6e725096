import { Box, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Note, Section, TextLink } from '../../components/page.tsx';
import { WholeNumber } from '../../components/whole-number.tsx';
import { accountQuery } from '../../queries/account.ts';
import type { ProtectionForm } from './use-protection.ts';

/** A plan that lacks it cannot switch it on, but off. */
export const RepairSection = ({ form: { settings, edit, errorOf } }: { form: ProtectionForm }) => {
  const { data: account } = useQuery(accountQuery);
  const isInPlan = account?.limits.hasAutoRepair === true;
  return (
    <Section title="Repair">
      <Stack gap={4}>
        <Switch
          label="Repair automatically"
          description="Once the attacker is stopped, what they deleted and changed comes back from the last good backup. What others did meanwhile stays."
          checked={settings.autoRepair}
          disabled={!isInPlan && !settings.autoRepair}
          onChange={({ currentTarget }) => edit({ autoRepair: currentTarget.checked })}
          error={errorOf('autoRepair')}
        />
        {account && !isInPlan && (
          <Text size="sm" pl={52}>
            Your plan does not include it: a repair takes one click on the page of the incident.{' '}
            <TextLink to="/billing">Compare plans</TextLink>
          </Text>
        )}
      </Stack>
    </Section>
  );
};

const mostMinutes = 1440;

export const DelaySection = ({ form: { settings, edit, errorOf } }: { form: ProtectionForm }) => {
  const { data: account } = useQuery(accountQuery);
  return (
    <Section
      title="Against a stolen session"
      note="Lowering protection alerts you at once and asks for a code of your second factor. A delay gives you time to take it back, should it not have been you."
    >
      <WholeNumber
        label="Delay before protection can be lowered (minutes)"
        description="0 to 1,440, which is a day. With an API key it is always at least 10."
        value={settings.disableDelayMinutes}
        onChange={(disableDelayMinutes) => edit({ disableDelayMinutes })}
        error={errorOf('disableDelayMinutes')}
        min={0}
        max={mostMinutes}
        maw={480}
      />
      {account?.mfaEnabled === false && (
        <Box mt="md">
          <Note tone="warning" title="Your account has no second factor">
            Whoever steals your session can weaken protection.{' '}
            <TextLink to="/account" c="inherit">
              Set it up
            </TextLink>
          </Note>
        </Box>
      )}
    </Section>
  );
};
