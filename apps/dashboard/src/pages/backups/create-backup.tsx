import type { BackupComponent } from '@holdfast/contract';
import { HoldfastError } from '@holdfast/sdk';
import { Modal, NumberInput, Text, TextInput } from '@mantine/core';
import { api } from '../../api.ts';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import { TextLink } from '../../components/page.tsx';
import { allComponents, usualComponents } from '../../labels/backups.ts';
import { changedByBackup } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';
import { ComponentChoice } from './component-choice.tsx';

type CreateBackupProps = { opened: boolean; onClose: () => void };

export const CreateBackup = ({ opened, onClose }: CreateBackupProps) => (
  <Modal opened={opened} onClose={onClose} title="Back this server up" size="lg" centered>
    {opened && <BackupForm onClose={onClose} />}
  </Modal>
);

type BackupValues = {
  name: string;
  components: BackupComponent[];
  messagesPerChannel: number | string;
};

const defaultValues: BackupValues = {
  name: '',
  components: usualComponents,
  messagesPerChannel: 100,
};

const BackupForm = ({ onClose }: Pick<CreateBackupProps, 'onClose'>) => {
  const { id } = useServer();
  const form = useApiForm(
    defaultValues,
    ({ name, components, messagesPerChannel }) => {
      const hasMessages = components.includes('messages') && messagesPerChannel !== '';
      const body = {
        ...(name.trim() && { name: name.trim() }),
        ...(hasMessages && { messagesPerChannel: Number(messagesPerChannel) }),
        components,
      };
      return api.createBackup({ params: { id }, body });
    },
    {
      message: 'The backup has started.',
      invalidates: changedByBackup(id),
      onSuccess: onClose,
    },
  );
  const { components } = form.values;
  return (
    <ApiForm form={form} label="Back up now" isReady={components.length > 0} onCancel={onClose}>
      <TextInput
        label="Name"
        description="Optional. Reminds you later why you made it."
        placeholder="Before the summer event"
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <ComponentChoice
        label="What to back up"
        offered={allComponents}
        chosen={components}
        onChange={(chosen) => form.setFieldValue('components', chosen)}
        error={form.errors.components}
      />
      {components.includes('messages') && (
        <NumberInput
          label="Messages of each channel"
          description="The newest ones, up to 1,000. More take longer and need more storage."
          min={0}
          max={1000}
          {...form.getInputProps('messagesPerChannel')}
        />
      )}
      <PlanHint error={form.action.error} />
    </ApiForm>
  );
};

/** Where the plan has no room for another backup: how to get some. */
const PlanHint = ({ error }: { error: unknown }) =>
  error instanceof HoldfastError &&
  error.kind === 'forbidden' && (
    <Text size="sm">
      Delete a backup that you no longer need, or{' '}
      <TextLink to="/billing">compare the plans</TextLink>.
    </Text>
  );
