import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useAccount } from '../../parts/use-account.ts';
import { EndSecondFactor } from './end-second-factor.tsx';
import { SetUpSecondFactor } from './set-up-second-factor.tsx';

export const SecondFactor = () => {
  const { data: account } = useAccount();
  const isOn = account?.mfaEnabled === true;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="second-factor">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} size="h4" id="second-factor">
            Second factor
          </Title>
          <Badge variant="light" color={isOn ? 'green' : 'gray'} tt="none">
            {isOn ? 'on' : 'off'}
          </Badge>
        </Group>
        <Text size="sm">
          {isOn
            ? 'Signing in asks for a code of your authenticator, and so does every dangerous act: deleting, restoring, pulling, paying out, minting a key.'
            : 'With one, whoever gets into your account on the platform still cannot get in here: signing in and every dangerous act ask for a code of your authenticator.'}
        </Text>
        <Group justify="flex-end">
          {/* Stays when it is on: it still has codes to show then. */}
          <SetUpSecondFactor isOn={isOn} />
          {isOn && <EndSecondFactor />}
        </Group>
      </Stack>
    </Paper>
  );
};
