-- expand, oldest release 1.0.0
--
-- The intermediary whose session made an applicant's code, and who has seen it: it can be revoked with their access.

alter table apply_code add column intermediary_id bigint references intermediary;
create index apply_code_by_intermediary on apply_code (intermediary_id) where intermediary_id is not null;

-- Until now, a client's only code was made when they were registered.
update apply_code c
set intermediary_id = i.intermediary_id
from intermediary_client k
join intermediary i using (organization_id)
join audit_event e
  on e.subject = k.applicant_id::text and e.action = 'applicant_registered' and e.actor = 'intermediary:' || i.email
where k.applicant_id = c.applicant_id;
