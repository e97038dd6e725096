import type { BackupComponent } from '@holdfast/contract';
import { Checkbox } from '@mantine/core';
import { RadioList, ServerSelect } from '../../components/select.tsx';
import { componentLabels } from '../../labels/backups.ts';
import { modeLabels } from '../../labels/restores.ts';
import type { BackupRecord, RestoreRequest } from '../../queries/records.ts';
import { ComponentChoice } from '../backups/component-choice.tsx';

type RestoreChoiceProps = {
  restorable: BackupComponent[];
  counts: BackupRecord['counts'];
  request: RestoreRequest;
  onChange: (changes: Partial<RestoreRequest>) => void;
};

/** Into which server to restore, how, and what. */
export const RestoreChoice = ({ restorable, counts, request, onChange }: RestoreChoiceProps) => (
  <>
    <ServerSelect
      label="Into which server"
      value={request.targetServerId}
      onChange={(targetServerId) => onChange({ targetServerId })}
    />
    <RadioList
      label="How"
      options={[
        { value: 'REPAIR', ...modeLabels.REPAIR },
        { value: 'REPLACE', ...modeLabels.REPLACE },
      ]}
      value={request.mode}
      onChange={(mode) => onChange({ mode })}
    />
    {request.mode === 'REPAIR' && (
      <Checkbox
        label="Also delete what the backup does not have"
        description="Channels with their messages, roles, emojis and the like that were made since. Never people, bans or roles of bots."
        checked={request.deleteExtra}
        onChange={({ currentTarget }) => onChange({ deleteExtra: currentTarget.checked })}
      />
    )}
    <ComponentChoice
      label="What to restore"
      isFolded
      counts={counts}
      offered={restorable}
      chosen={request.components}
      onChange={(components) => onChange({ components })}
      explain={(name) => componentLabels[name].restored ?? componentLabels[name].explanation}
    />
  </>
);
