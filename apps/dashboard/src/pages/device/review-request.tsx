import type { KeyScope } from '@holdfast/contract';
import { defaultKeyDays, keyDays } from '@holdfast/contract/checks';
import { Button, Code, Group, Input, SegmentedControl, Stack, Text } from '@mantine/core';
import { api } from '../../api.ts';
import { Facts, Moment, Name } from '../../components/display.tsx';
import { FormError, useApiForm } from '../../components/form.tsx';
import { CodeInput, useFreshCode } from '../../components/fresh-code.tsx';
import { Note, Section } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { daysLabel } from '../../labels/api-keys.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { DeviceAuthorization } from '../../queries/records.ts';
import { AskedScopes } from './asked-scopes.tsx';

type ReviewRequestProps = {
  request: DeviceAuthorization;
  onDecided: (decision: 'approved' | 'denied') => void;
};

type Approval = { scopes: KeyScope[]; days: (typeof keyDays)[number]; code: string };

/** Who asks, for what and for how long; then yes or no. */
export const ReviewRequest = ({ request, onDecided }: ReviewRequestProps) => {
  const { userCode } = request;
  const freshCode = useFreshCode();
  const firstValues: Approval = { scopes: request.scopes, days: defaultKeyDays, code: '' };
  const form = useApiForm(
    firstValues,
    async ({ scopes, days, code }) => {
      await freshCode.confirm(code);
      return api.approveDeviceAuthorization({ body: { code: userCode, scopes, days } });
    },
    { invalidates: [queryKeys.apiKeys], onSuccess: () => onDecided('approved') },
  );
  const denial = useAction(() => api.denyDeviceAuthorization({ body: { code: userCode } }), {
    onSuccess: () => onDecided('denied'),
  });
  const { scopes, days, code } = form.values;
  const isReady = scopes.length > 0 && freshCode.isReady(code);
  return (
    <form onSubmit={form.submit}>
      <Stack gap="lg">
        <Note tone="warning" title="Approve only what you have started yourself">
          Does your own program show this code now? If somebody else sent you the code or this link,
          deny it: they would get a key of your account.
        </Note>
        <WhoAsks request={request} />
        <Section
          title="What the key may do"
          note="You can take scopes away, and revoke the key at any time."
        >
          <AskedScopes
            asked={request.scopes}
            granted={scopes}
            onChange={(granted: KeyScope[]) => form.setFieldValue('scopes', granted)}
          />
        </Section>
        <Section title="How long the key is valid">
          <Stack gap="md">
            <SegmentedControl
              aria-label="How long the key is valid"
              data={keyDays.map((choice) => ({ value: String(choice), label: daysLabel(choice) }))}
              value={String(days)}
              onChange={(chosen) => {
                const choice = keyDays.find((one) => String(one) === chosen);
                if (choice) form.setFieldValue('days', choice);
              }}
            />
            {freshCode.isNeeded && <CodeInput {...form.getInputProps('code')} />}
          </Stack>
        </Section>
        {form.errors.scopes && <Input.Error>{form.errors.scopes}</Input.Error>}
        <FormError
          error={form.action.error}
          isAtFields={form.isErrorAtFields}
          title="It was not approved"
        />
        <Group justify="flex-end" gap="sm">
          <Button
            variant="default"
            loading={denial.isPending}
            disabled={form.action.isPending}
            onClick={() => denial.mutate()}
          >
            Deny
          </Button>
          <Button
            type="submit"
            loading={form.action.isPending}
            disabled={!isReady || denial.isPending}
          >
            Approve
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

const WhoAsks = ({ request }: Pick<ReviewRequestProps, 'request'>) => {
  const { userCode, machine, address, keyName, createdAt } = request;
  return (
    <Section title="Who asks">
      <Stack gap="md">
        <Facts
          facts={[
            { label: 'Code', value: <Code fz="md">{userCode}</Code> },
            {
              label: 'Calls itself',
              value: machine === null ? 'Nothing' : <Name>{machine}</Name>,
            },
            { label: 'Address', value: address },
            { label: 'Asked', value: <Moment at={createdAt} /> },
          ]}
        />
        <Text size="sm" c="dimmed">
          The key will be called <Name>{keyName}</Name>.
        </Text>
      </Stack>
    </Section>
  );
};
