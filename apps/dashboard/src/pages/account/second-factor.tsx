import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import { CodeInput, isWholeCode } from '../../components/fresh-code.tsx';
import { Section } from '../../components/page.tsx';
import { accountQuery } from '../../queries/account.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import { SetUpSecondFactor } from './set-up-second-factor.tsx';

export const SecondFactor = () => {
  const { data: account } = useQuery(accountQuery);
  const isOn = account?.mfaEnabled === true;
  return (
    <Section
      title="Two-factor authentication"
      aside={<Badge color={isOn ? 'green' : 'yellow'}>{isOn ? 'on' : 'off'}</Badge>}
    >
      <Stack gap="md">
        <Text size="sm">
          {isOn
            ? 'Signing in asks for a code of your authenticator, and so does every dangerous action: deleting, restoring, bringing members back, requesting a payout, creating a key.'
            : 'It protects your account here even if somebody takes over your account on the platform: signing in and every dangerous action then ask for a code of your authenticator.'}
        </Text>
        <Group justify="flex-end">
          {/* Stays mounted when it is on: it still has the recovery codes to show then. */}
          <SetUpSecondFactor isOn={isOn} />
          {isOn && <SwitchOffSecondFactor />}
        </Group>
      </Stack>
    </Section>
  );
};

const SwitchOffSecondFactor = () => {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open}>
        Switch it off
      </Button>
      <Modal opened={isOpen} onClose={close} title="Switch two-factor authentication off" centered>
        <SwitchOffForm onClose={close} />
      </Modal>
    </>
  );
};

const SwitchOffForm = ({ onClose }: { onClose: () => void }) => {
  const form = useApiForm({ code: '' }, (body) => api.endSecondFactor({ body }), {
    message: 'Two-factor authentication is off.',
    invalidates: [queryKeys.account],
    onSuccess: onClose,
  });
  return (
    <ApiForm
      form={form}
      label="Switch it off"
      color="red"
      isReady={isWholeCode(form.values.code)}
      onCancel={onClose}
    >
      <Text size="sm">
        From then on your account on the platform is enough to sign in here and to do everything.
        Your recovery codes become invalid.
      </Text>
      <CodeInput {...form.getInputProps('code')} />
    </ApiForm>
  );
};
