import { PageHead } from '../../parts/page-head.tsx';

export const Audit = () => <PageHead title="Audit" />;
