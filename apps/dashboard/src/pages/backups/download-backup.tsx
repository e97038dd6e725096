import { Button, Checkbox, Modal, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import { CodeInput, useFreshCode } from '../../components/fresh-code.tsx';
import { plural } from '../../labels/format.ts';
import type { BackupRecord } from '../../queries/records.ts';
import { assembleDownload, fileNameOf, saveFile } from './assemble-download.ts';

/** The backup as a file, without people unless they are asked for. */
export const DownloadBackup = ({ backup }: { backup: BackupRecord }) => {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={18} aria-hidden />}
        onClick={dialog.open}
      >
        Download
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Download this backup" centered>
        {isOpen && <DownloadForm backup={backup} onClose={dialog.close} />}
      </Modal>
    </>
  );
};

type DownloadFormProps = { backup: BackupRecord; onClose: () => void };

const DownloadForm = ({ backup, onClose }: DownloadFormProps) => {
  const freshCode = useFreshCode();
  const [entries, setEntries] = useState<number>();
  const form = useApiForm(
    { withPeople: false, code: '' },
    async ({ withPeople, code }) => {
      if (withPeople) await freshCode.confirm(code);
      saveFile(fileNameOf(backup), await assembleDownload(backup, withPeople, setEntries));
    },
    { message: 'The backup is downloaded.', onSuccess: onClose },
  );
  const { withPeople, code } = form.values;
  return (
    <ApiForm
      form={form}
      label="Download"
      isReady={!withPeople || freshCode.isReady(code)}
      onCancel={onClose}
      errorTitle="It was not downloaded"
    >
      <Text size="sm">
        A JSON file with all that the backup holds, pictures included; files of messages are only
        named. It is not encrypted: keep it where only you can read it.
      </Text>
      <Checkbox
        label="With people"
        description="Members with their roles and nicknames, bans with their reasons, messages, and permissions of single people. This is personal data: from then on you answer for what happens to the file, and people who erase themselves here stay in it."
        {...form.getInputProps('withPeople', { type: 'checkbox' })}
      />
      {withPeople && freshCode.isNeeded && <CodeInput {...form.getInputProps('code')} />}
      {form.action.isPending && (
        <Stack gap={4} role="status">
          <Progress value={100} animated aria-label="The backup is being read" />
          <Text size="sm" c="dimmed">
            {plural(entries ?? 0, 'entry', 'entries')} read
          </Text>
        </Stack>
      )}
    </ApiForm>
  );
};
